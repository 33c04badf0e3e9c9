// Instantiates the kernel for blocks of 256, whatever the launch says.
//@ mutant wrong-result: smaller blocks leave elements between them out
//@ launch block_ranges<256><<<ceil_div(n, block), block>>>(x, ranges, n)

template <int block>
__global__ void block_ranges(const int* x, int* ranges, int n)
{
    __shared__ int low[block];
    __shared__ int high[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    low[t] = x[min(i, n - 1)];
    high[t] = low[t];
    __syncthreads();

    #pragma unroll
    for (int k = block / 2; k >= 32; k /= 2) {
        if (t < k) {
            low[t] = min(low[t], low[t + k]);
            high[t] = max(high[t], high[t + k]);
        }
        if (k > 32) __syncthreads();        // after the round of 32, only the first warp goes on, with its own words
    }

    if (t < 32) {
        int least = low[t];
        int most = high[t];
        #pragma unroll
        for (int k = 16; k > 0; k /= 2) {
            least = min(least, __shfl_down_sync(0xffffffffu, least, k));
            most = max(most, __shfl_down_sync(0xffffffffu, most, k));
        }
        if (t == 0) ranges[blockIdx.x] = most - least;
    }
}
