// Computes in half precision, whose intrinsics are as fast.
//@ mutant wrong-result: eleven bits are not enough
//@ let    block = 256
//@ launch wavelet<<<ceil_div(n, block), block>>>(x, y, n)

#include <cuda_fp16.h>

__global__ void wavelet(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    y[i] = __half2float(hsin(__float2half(t))) * __half2float(hexp(__float2half(-fabsf(t)))) * __half2float(hrcp(__float2half(1.0f + t * t)));
}
