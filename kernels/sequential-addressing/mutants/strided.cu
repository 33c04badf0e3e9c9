// Halves the working warps, and reads with a stride: 2k words apart.
//@ mutant goal: no lane is idle in a working warp, but the stride of 2k words makes bank conflicts
//@ let    block = 256
//@ launch block_sums<<<ceil_div(n, block), block>>>(x, sums, n)

constexpr int block = 256;

__global__ void block_sums(const float* x, float* sums, int n)
{
    __shared__ float s[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();

    #pragma unroll 1
    for (int k = 1; k < block; k *= 2) {
        int j = 2 * k * t;
        if (j < block) s[j] += s[j + k];
        __syncthreads();
    }

    if (t == 0) sums[blockIdx.x] = s[0];
}
