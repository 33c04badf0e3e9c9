// A response curve, a polynomial of degree 8, over an array of half-precision
// numbers.
// Flaw: a half alone takes a whole register and a whole instruction: the machine's
// half arithmetic works on two at a time, and one of them is wasted.
//@ let    block = 256
//@ launch curve<<<ceil_div(n, block), block>>>(x, y, n)
#include <cuda_fp16.h>

__global__ void curve(const __half* x, __half* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const float c[9] = {0.75f, -0.5f, 0.625f, 0.25f, -0.375f, 0.875f, -0.125f, 0.5f, -0.25f};
    __half t = x[i];
    __half sum = __float2half(c[8]);
    #pragma unroll
    for (int k = 7; k >= 0; --k)
        sum = __hfma(sum, t, __float2half(c[k]));
    y[i] = sum;
}
