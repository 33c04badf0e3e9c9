// A block for each row, and shuffles in two levels.
//@ let    block = 128
//@ launch row_sums<<<rows, block>>>(x, sums, width)
#include <cuda_fp16.h>

__device__ float of_warp(float sum)
{
    #pragma unroll
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    return sum;
}

__global__ void row_sums(const __half* x, float* sums, int width)
{
    __shared__ float of_warps[4];
    const uint4* eights = reinterpret_cast<const uint4*>(x + (size_t)blockIdx.x * width);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < width / 8; i += blockDim.x) {
        uint4 eight = eights[i];
        const __half* half = reinterpret_cast<const __half*>(&eight);
        #pragma unroll
        for (int k = 0; k < 8; ++k) sum += __half2float(half[k]);
    }
    sum = of_warp(sum);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) sums[blockIdx.x] = of_warps[0] + of_warps[1] + of_warps[2] + of_warps[3];
}
