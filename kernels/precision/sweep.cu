// One polynomial-like chain of `steps` multiply-adds for each of n elements, in
// numbers of 8, 4 and 2 bytes. A thread takes 16 bytes: two doubles, four floats or
// eight halves. Halves work in pairs.
//@ let    block = 256
//@ let    threads = ceil_div(n * bytes, 16)
//@ launch chains<bytes, steps><<<ceil_div(threads, block), block>>>(doubles, floats, halves, double_out, float_out, half_out, threads)
#include <cuda_fp16.h>

template <int steps, typename T>
__device__ T chain(T x)
{
    #pragma unroll
    for (int k = 0; k < steps; ++k) x = x * T(0.875) + T(0.125);
    return x;
}

template <int steps>
__device__ __half2 chain(__half2 x)
{
    #pragma unroll
    for (int k = 0; k < steps; ++k) x = __hfma2(x, __float2half2_rn(0.875f), __float2half2_rn(0.125f));
    return x;
}

template <int bytes, int steps>
__global__ void chains(const double2* doubles, const float4* floats, const void* halves,
                       double2* double_out, float4* float_out, void* half_out, int threads)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) return;

    if constexpr (bytes == 8) {
        double2 x = doubles[i];
        double_out[i] = make_double2(chain<steps>(x.x), chain<steps>(x.y));
    } else if constexpr (bytes == 4) {
        float4 x = floats[i];
        float_out[i] = make_float4(chain<steps>(x.x), chain<steps>(x.y), chain<steps>(x.z), chain<steps>(x.w));
    } else {
        uint4 raw = static_cast<const uint4*>(halves)[i];
        __half2* x = reinterpret_cast<__half2*>(&raw);
        #pragma unroll
        for (int k = 0; k < 4; ++k) x[k] = chain<steps>(x[k]);
        static_cast<uint4*>(half_out)[i] = raw;
    }
}
