// The same rounds without __syncwarp().
//@ mutant race: a lane reads what another wrote a round before, with nothing between
//@ launch block_sums<<<ceil_div(n, block), block, 4 * block>>>(x, sums, n)

__global__ void block_sums(const int* x, int* sums, int n)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? x[i] : 0;
    __syncthreads();

    for (int k = blockDim.x / 2; k > 32; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t < 32) {
        #pragma unroll
        for (int k = 32; k > 0; k /= 2) {
            if (t < k && t + k < blockDim.x) s[t] += s[t + k];
        }
        if (t == 0) sums[blockIdx.x] = s[0];
    }
}
