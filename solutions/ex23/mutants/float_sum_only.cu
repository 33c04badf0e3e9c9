// Adds floats, and loads one half at a time.
//@ mutant goal: right, and every load brings two bytes
//@ let    block = 256
//@ launch row_sums<<<ceil_div(32 * rows, block), block>>>(x, sums, rows, width)
#include <cuda_fp16.h>

__global__ void row_sums(const __half* x, float* sums, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;

    float sum = 0.0f;
    for (int i = lane; i < width; i += 32)
        sum += __half2float(x[row * width + i]);

    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) sums[row] = sum;
}
