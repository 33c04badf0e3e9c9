// Adds pairs of halves, for each lane twice as many sums.
//@ mutant wrong-result: each of them has eleven bits still
//@ let    block = 256
//@ launch row_sums<<<ceil_div(32 * rows, block), block>>>(x, sums, rows, width)
#include <cuda_fp16.h>

__global__ void row_sums(const __half* x, float* sums, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;

    const uint4* eights = reinterpret_cast<const uint4*>(x + (size_t)row * width);
    __half2 both = __float2half2_rn(0.0f);
    #pragma unroll 4
    for (int i = lane; i < width / 8; i += 32) {
        uint4 eight = eights[i];
        const __half2* pairs = reinterpret_cast<const __half2*>(&eight);
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            both = __hadd2(both, pairs[k]);
        }
    }

    float sum = __low2float(both) + __high2float(both);
    #pragma unroll
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) sums[row] = sum;
}
