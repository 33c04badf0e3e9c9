// The sum of magnitudes of every `block` elements, compiled for each block size
// that is launched.
// As a template argument the block size is a constant: the compiler evaluates every
// `if (block >= ...)`, and what is left is straight-line code with constant
// offsets. One warp adds the last 32 values alone. The launch line picks the
// instance, which is all the dispatcher does.
//@ launch block_norms<block><<<ceil_div(n, block), block>>>(x, norms, n)

template <int block>
__global__ void block_norms(const int* x, int* norms, int n)
{
    __shared__ int s[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    s[t] = i < n ? abs(x[i]) : 0;
    __syncthreads();

    if (block >= 1024) { if (t < 512) s[t] += s[t + 512]; __syncthreads(); }
    if (block >= 512)  { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
    if (block >= 256)  { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
    if (block >= 128)  { if (t < 64)  s[t] += s[t + 64];  __syncthreads(); }

    if (t < 32) {
        int sum = s[t];
        if (block >= 64) sum += s[t + 32];
        sum += __shfl_down_sync(0xffffffffu, sum, 16);
        sum += __shfl_down_sync(0xffffffffu, sum, 8);
        sum += __shfl_down_sync(0xffffffffu, sum, 4);
        sum += __shfl_down_sync(0xffffffffu, sum, 2);
        sum += __shfl_down_sync(0xffffffffu, sum, 1);
        if (t == 0) norms[blockIdx.x] = sum;
    }
}
