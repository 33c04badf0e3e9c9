// Selects without a branch, in all warps in every round.
//@ mutant goal: no warp diverges, but none falls idle either
//@ let    block = 256
//@ launch first_largest<<<ceil_div(n, block), block>>>(x, first, n)

constexpr int block = 256;

__global__ void first_largest(const int* x, int* first, int n)
{
    __shared__ int value[block];
    __shared__ int place[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    value[t] = i < n ? x[i] : INT_MIN;
    place[t] = i;
    __syncthreads();

    for (int k = 1; k < block; k *= 2) {
        int other = (t & (2 * k - 1)) == 0 ? t + k : t;
        int v = value[t], o = value[other], p = place[t], q = place[other];
        __syncthreads();
        value[t] = o > v ? o : v;
        place[t] = o > v ? q : p;
        __syncthreads();
    }

    if (t == 0) first[blockIdx.x] = place[0];
}
