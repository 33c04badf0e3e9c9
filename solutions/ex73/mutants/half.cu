// Adds in half precision.
//@ mutant wrong-result: eleven bits are not enough
//@ let    block = 128
//@ launch values<<<ceil_div(n, 8 * block), block>>>(x, c, y, n)

#include <cuda_fp16.h>

__global__ void values(const float* x, const float* c, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;

    float v[8], sum[8];
    #pragma unroll
    for (int j = 0; j < 8; ++j) {
        v[j] = i + j * stride < n ? x[i + j * stride] : 0.0f;
        sum[j] = 0.0f;
    }
    #pragma unroll 2
    for (int k = 47; k >= 0; --k) {
        float own = c[k];
        #pragma unroll
        for (int j = 0; j < 8; ++j) sum[j] = __half2float(__float2half(sum[j] * v[j] + own));
    }
    #pragma unroll
    for (int j = 0; j < 8; ++j)
        if (i + j * stride < n) y[i + j * stride] = sum[j];
}
