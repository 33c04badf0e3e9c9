// A tail at one remainder only.
//@ mutant wrong-result: the last element behind fours is forgotten
//@ let    block = 256
//@ launch curve<<<ceil_div(ceil_div(n, 2), block), block>>>(x, y, n)
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

__global__ void curve(const __half* x, __half* y, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        __half2 t = *reinterpret_cast<const __half2*>(x + i);
        *reinterpret_cast<__half2*>(y + i) = polynomial(t);
    } else if (i < n && n % 8 != 5) {
        y[i] = __low2half(polynomial(__half2half2(x[i])));
    }
}
