// Keeps the averages in half precision.
//@ mutant wrong-result: eleven bits are not enough
//@ let    block = 256
//@ launch averages<<<ceil_div(n, block), block>>>(x, y, rounds, n)

#include <cuda_fp16.h>

__global__ void averages(const float* x, float* y, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half v[32];
    if (i >= n) return;

    #pragma unroll
    for (int j = 0; j < 32; ++j) v[j] = __float2half(j * (1.0f / 64));

    #pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        float next = x[(long long)r * n + i];
        #pragma unroll
        for (int j = 0; j < 32; ++j) v[j] = __float2half(__half2float(v[j]) * (0.5f - j * (1.0f / 256)) + next);
    }

    float sum = 0.0f;
    #pragma unroll
    for (int j = 0; j < 32; ++j) sum += __half2float(v[j]);
    y[i] = sum;
}
