// Row sums of a matrix of halves: a warp for each row of `width` numbers from 0 to
// 1, each lane adds every 32nd.
// Flaw: the sum is a half, too. It has eleven bits: from 2048 on adding 1 changes
// nothing, and long before that every addition rounds.
//@ let    block = 256
//@ launch row_sums<<<ceil_div(32 * rows, block), block>>>(x, sums, rows, width)
#include <cuda_fp16.h>

__global__ void row_sums(const __half* x, float* sums, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;

    __half sum = __float2half(0.0f);
    for (int i = lane; i < width; i += 32)
        sum = __hadd(sum, x[row * width + i]);

    for (int k = 16; k > 0; k /= 2)
        sum = __hadd(sum, __shfl_down_sync(0xffffffffu, sum, k));
    if (lane == 0) sums[row] = __half2float(sum);
}
