// Computes in half precision.
//@ mutant wrong-result: eleven bits are too few
//@ let    block = 256
//@ launch oscillate<<<ceil_div(n, block), block>>>(x, y, rounds, n)

#include <cuda_fp16.h>

__global__ void oscillate(const float* x, float* y, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float a = x[i];
    float b = 0.5f;
    #pragma unroll 16
    for (int round = 0; round < rounds; ++round) {
        __half turned = __float2half(0.875f * a - 0.25f * b + 0.125f);
        b = __half2float(__float2half(0.25f * a + 0.875f * b));
        a = __half2float(turned);
    }
    y[i] = a + b;
}
