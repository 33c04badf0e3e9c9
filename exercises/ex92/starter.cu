// The range of every `block` elements: the largest less the smallest.
// Flaw: the block size comes with the launch, so the tree is a loop with a barrier per round, down to the last two values.
//@ launch block_ranges<<<ceil_div(n, block), block, 8 * block>>>(x, ranges, n)

__global__ void block_ranges(const int* x, int* ranges, int n)
{
    extern __shared__ int low[];
    int* high = low + blockDim.x;
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    low[t] = x[min(i, n - 1)];
    high[t] = low[t];
    __syncthreads();

    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k) {
            low[t] = min(low[t], low[t + k]);
            high[t] = max(high[t], high[t + k]);
        }
        __syncthreads();
    }

    if (t == 0) ranges[blockIdx.x] = high[0] - low[0];
}
