// The sum of every 256 elements, as a tree in shared memory.
// Flaw: every round goes through shared memory and stops the whole block, although
// the last 32 elements are the work of one warp.
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

    for (int k = block / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t == 0) sums[blockIdx.x] = s[0];
}
