// The sum of every 256 elements, as a tree over halves: the lower half adds the
// upper half to itself. The threads that are still active are the first ones, so
// whole warps become idle instead of single lanes: a warp without work runs a
// compare and the barrier and nothing else. Neighbouring threads read neighbouring
// words, so there are no bank conflicts.
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
    for (int k = block / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t == 0) sums[blockIdx.x] = s[0];
}
