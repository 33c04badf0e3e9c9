// Sums of blocks, the last 64 values unrolled: one warp needs no barrier, so it was
// written without any.
// Flaw: this assumes that a warp runs in lockstep. `volatile` makes every step
// touch memory, and before Volta that was enough. Since then lanes have program
// counters of their own, and nothing orders w[t + 16] against the lane that adds to
// it. With 32-thread blocks, lanes from 16 on also read past the end of the shared
// array.
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
        volatile int* w = s;
        if (blockDim.x > 32) w[t] += w[t + 32];
        w[t] += w[t + 16];
        w[t] += w[t + 8];
        w[t] += w[t + 4];
        w[t] += w[t + 2];
        w[t] += w[t + 1];
        if (t == 0) sums[blockIdx.x] = w[0];
    }
}
