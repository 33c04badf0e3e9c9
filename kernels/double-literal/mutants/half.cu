// Cheaper still: the polynomial in half precision.
//@ mutant wrong-result: accumulates in half
//@ let    block = 256
//@ launch sine<<<ceil_div(n, block), block>>>(angle, y, n)
#include <cuda_fp16.h>

__global__ void sine(const float* angle, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float x = angle[i];
    __half x2 = __float2half(x * x);
    __half p = __float2half(1.0f / 362880);
    p = __hfma(p, x2, __float2half(-1.0f / 5040));
    p = __hfma(p, x2, __float2half(1.0f / 120));
    p = __hfma(p, x2, __float2half(-1.0f / 6));
    y[i] = x + x * x * x * __half2float(p);
}
