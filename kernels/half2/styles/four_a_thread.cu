// Four elements per thread as two __half2, loaded as one 8-byte word; the last block does what is left one by one.
//@ let    block = 256
//@ launch curve<<<ceil_div(ceil_div(n, 4), block), block>>>(x, y, n)
#include <cuda_fp16.h>

__device__ __half2 polynomial(__half2 t)
{
    const float c[9] = {0.75f, -0.5f, 0.625f, 0.25f, -0.375f, 0.875f, -0.125f, 0.5f, -0.25f};
    __half2 sum = __float2half2_rn(c[8]);
    #pragma unroll
    for (int k = 7; k >= 0; --k)
        sum = __hfma2(sum, t, __float2half2_rn(c[k]));
    return sum;
}

struct __align__(8) Four { __half2 low, high; };

__global__ void curve(const __half* x, __half* y, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) {
        Four t = *reinterpret_cast<const Four*>(x + i);
        t.low = polynomial(t.low);
        t.high = polynomial(t.high);
        *reinterpret_cast<Four*>(y + i) = t;
        return;
    }
    for (; i < n; ++i) y[i] = __low2half(polynomial(__half2half2(x[i])));
}
