// Sums of every `block` elements. One warp adds the last 32 partial sums
// with shuffles.
// Flaw: the kernel has to work for every block size, so the rounds before that are
// a loop.
//@ launch totals<<<ceil_div(n, block), block, 4 * block>>>(x, sums, n)

__global__ void totals(const int* x, int* sums, int n)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();

    for (int k = blockDim.x / 2; k >= 32; k /= 2) {
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
