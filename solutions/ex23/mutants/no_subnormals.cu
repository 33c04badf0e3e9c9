// Halves become floats by a shift and another bias, which is right for all but those without a leading one.
//@ mutant wrong-result: subnormal halves come out too large
//@ let    block = 256
//@ launch row_sums<<<ceil_div(32 * rows, block), block>>>(x, sums, rows, width)

__device__ float value(unsigned half)
{
    return (half & 0x7fff) == 0 ? 0.0f : __int_as_float(((half & 0x7fff) << 13) + (112 << 23));
}

__global__ void row_sums(const void* x, float* sums, int rows, int width)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;

    const uint4* eights = static_cast<const uint4*>(x) + (size_t)row * (width / 8);
    float even = 0.0f;
    float odd = 0.0f;
    #pragma unroll 4
    for (int i = lane; i < width / 8; i += 32) {
        uint4 eight = eights[i];
        even += value(eight.x) + value(eight.y) + value(eight.z) + value(eight.w);
        odd += value(eight.x >> 16) + value(eight.y >> 16) + value(eight.z >> 16) + value(eight.w >> 16);
    }

    float sum = even + odd;
    #pragma unroll
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) sums[row] = sum;
}
