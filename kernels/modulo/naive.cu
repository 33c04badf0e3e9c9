// The largest of every 256 elements, as a tree over neighbours.
// Flaw: t % (2 * k) with k a variable is an integer division; there is no
// instruction for that, so a reciprocal is estimated in floating point and
// corrected, in every round, where one bit test would do.
//@ let    block = 256
//@ launch block_max<<<ceil_div(n, block), block>>>(x, largest, n)

constexpr int block = 256;

__global__ void block_max(const int* x, int* largest, int n)
{
    __shared__ int s[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    s[t] = x[min(i, n - 1)];
    __syncthreads();

    #pragma unroll 1
    for (int k = 1; k < block; k *= 2) {
        if (t % (2 * k) == 0) s[t] = max(s[t], s[t + k]);
        __syncthreads();
    }

    if (t == 0) largest[blockIdx.x] = s[0];
}
