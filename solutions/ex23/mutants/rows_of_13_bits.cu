// A number of 13 bits is enough for the rows of every case, and not for those of the `time` size.
//@ mutant wrong-result: rows beyond the 8192nd get the sums of others
//@ let    block = 256
//@ launch row_sums<<<ceil_div(32 * rows, block), block>>>(x, sums, rows, width)
#include <cuda_fp16.h>

__global__ void row_sums(const __half* x, float* sums, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;

    const uint4* eights = reinterpret_cast<const uint4*>(x + (size_t)(row & 8191) * width);
    float even = 0.0f;
    float odd = 0.0f;
    #pragma unroll 4
    for (int i = lane; i < width / 8; i += 32) {
        uint4 eight = eights[i];
        const __half2* pairs = reinterpret_cast<const __half2*>(&eight);
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            float2 two = __half22float2(pairs[k]);
            even += two.x;
            odd += two.y;
        }
    }

    float sum = even + odd;
    #pragma unroll
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) sums[row] = sum;
}
