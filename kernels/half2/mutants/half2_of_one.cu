// Writes __half2 everywhere, and each holds one element twice.
//@ mutant goal: the wide instruction computes the same number twice
//@ let    block = 256
//@ launch curve<<<ceil_div(n, block), block>>>(x, y, n)
#include <cuda_fp16.h>

__global__ void curve(const __half* x, __half* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const float c[9] = {0.75f, -0.5f, 0.625f, 0.25f, -0.375f, 0.875f, -0.125f, 0.5f, -0.25f};
    __half2 t = __half2half2(x[i]);
    __half2 sum = __float2half2_rn(c[8]);
    #pragma unroll
    for (int k = 7; k >= 0; --k)
        sum = __hfma2(sum, t, __float2half2_rn(c[k]));
    y[i] = __low2half(sum);
}
