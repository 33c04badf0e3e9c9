// The published mistake: the template argument is the number of blocks.
//@ mutant wrong-result: it is right by luck only, such as with as many blocks as a block has threads
//@ let    grid = ceil_div(n, block)
//@ launch totals<grid><<<grid, block, 4 * block>>>(x, sums, n)

template <int block>
__global__ void totals(const int* x, int* sums, int n)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();

    #pragma unroll
    for (int k = block / 2; k >= 32; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t < 32) {
        int sum = s[t];
        #pragma unroll
        for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
        if (t == 0) sums[blockIdx.x] = sum;
    }
}
