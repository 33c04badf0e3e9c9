// Off by one at the end.
//@ mutant wrong-result: threads beyond the end read the last element but one, and nobody the last
//@ let    block = 256
//@ launch block_max<<<ceil_div(n, block), block>>>(x, largest, n)

constexpr int block = 256;

__global__ void block_max(const int* x, int* largest, int n)
{
    __shared__ int s[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    s[t] = x[min(i, max(n - 2, 0))];
    __syncthreads();

    #pragma unroll 1
    for (int k = 1; k < block; k *= 2) {
        if ((t & (2 * k - 1)) == 0) s[t] = max(s[t], s[t + k]);
        __syncthreads();
    }

    if (t == 0) largest[blockIdx.x] = s[0];
}
