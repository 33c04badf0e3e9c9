// Reads a word for every lane of the first warp.
//@ mutant out-of-bounds: there are eight warps, and eight words
//@ let    block = 256
//@ launch dot<<<ceil_div(n, block), block>>>(a, b, dots, n)

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    __shared__ float warp_sum[8];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;

    float sum = i < n ? a[i] * b[i] : 0.0f;
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (t % 32 == 0) warp_sum[t / 32] = sum;
    __syncthreads();

    if (t < 32) {
        sum = warp_sum[t];
        for (int k = 4; k > 0; k /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, k);
        if (t == 0) dots[blockIdx.x] = sum;
    }
}
