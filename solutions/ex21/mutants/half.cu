// Adds in half precision.
//@ mutant wrong-result: accumulates in half
//@ let    block = 256
//@ launch mid_side<<<ceil_div(n, block), block>>>(left, right, mid, side, n)
#include <cuda_fp16.h>

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float l = left[i];
    float r = right[i];
    mid[i] = 0.5f * __half2float(__hadd(__float2half(l), __float2half(r)));
    side[i] = 0.5f * (l - r);
}
