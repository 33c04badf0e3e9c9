// The sum of every 256 elements, as a tree over neighbours: 0+1, 2+3, ... then 0+2,
// 4+6, ...
// Flaw: the threads that are still active are spread over all warps, so every warp
// stays busy with ever fewer lanes.
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
        if ((t & (2 * k - 1)) == 0) s[t] += s[t + k];
        __syncthreads();
    }

    if (t == 0) sums[blockIdx.x] = s[0];
}
