// Adds the eight halves of a load in half precision, and only then goes on in
// float.
//@ mutant wrong-result: three roundings to eleven bits for every number
//@ let    block = 256
//@ launch row_sums<<<ceil_div(32 * rows, block), block>>>(x, sums, rows, width)
#include <cuda_fp16.h>

__global__ void row_sums(const __half* x, float* sums, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;

    const uint4* eights = reinterpret_cast<const uint4*>(x + (size_t)row * width);
    float even = 0.0f;
    float odd = 0.0f;
    #pragma unroll 4
    for (int i = lane; i < width / 8; i += 32) {
        uint4 eight = eights[i];
        const __half2* pairs = reinterpret_cast<const __half2*>(&eight);
        __half2 four = __hadd2(__hadd2(pairs[0], pairs[1]), __hadd2(pairs[2], pairs[3]));
        even += __low2float(four);
        odd += __high2float(four);
    }

    float sum = even + odd;
    #pragma unroll
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) sums[row] = sum;
}
