// As many partial sums as twice a block has threads, where there may be more.
//@ mutant wrong-result: blocks beyond the 512th are forgotten
//@ let     block = 256
//@ let     grid = min(ceil_div(n, block), 8 * sms)
//@ scratch partial: f32[grid]
//@ launch  total<<<grid, block>>>(x, partial, sum, n)

constexpr int block = 256;
constexpr unsigned full = 0xffffffffu;

__device__ unsigned ticket = 0;

// The sum of `own` over the block, in thread 0.
__device__ float block_sum(float own, float* warp_sum)
{
    int t = threadIdx.x;
    for (int k = 16; k > 0; k /= 2)
        own += __shfl_down_sync(full, own, k);
    if (t % 32 == 0) warp_sum[t / 32] = own;
    __syncthreads();

    if (t == 0)
        for (int w = 1; w < block / 32; ++w) own += warp_sum[w];
    return own;
}

__global__ void total(const float* x, float* partial, float* sum, int n)
{
    __shared__ float warp_sum[block / 32];
    __shared__ bool last;
    int t = threadIdx.x;

    float own = 0.0f;
    for (int i = blockIdx.x * block + t; i < n; i += gridDim.x * block)
        own += x[i];
    own = block_sum(own, warp_sum);

    if (t == 0) {
        partial[blockIdx.x] = own;
        __threadfence();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;

    own = 0.0f;
    for (int i = t; i < min(gridDim.x, 2 * block); i += block)
        own += partial[i];
    own = block_sum(own, warp_sum);
    if (t == 0) *sum = own;
}
