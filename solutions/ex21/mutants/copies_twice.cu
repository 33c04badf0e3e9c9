// Both kernels in one launch, each loading by cp.async.
//@ mutant goal: one launch without an LDG, and everything is read twice all the same
//@ let    block = 256
//@ launch mid_side<<<2 * ceil_div(n, block), block>>>(left, right, mid, side, n)

#include <cuda_pipeline.h>

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    __shared__ float both[2][256];
    int t = threadIdx.x;
    int i = blockIdx.x / 2 * blockDim.x + t;
    if (i >= n) return;

    __pipeline_memcpy_async(&both[0][t], left + i, 4);
    __pipeline_memcpy_async(&both[1][t], right + i, 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (blockIdx.x % 2 == 0) mid[i] = 0.5f * (both[0][t] + both[1][t]);
    else                     side[i] = 0.5f * (both[0][t] - both[1][t]);
}
