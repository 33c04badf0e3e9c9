// Forgets the magnitude.
//@ mutant wrong-result: a loud negative sample is not heard
//@ let     block = 256
//@ let     grid = min(ceil_div(n, block), 4 * sms)
//@ scratch partial: f32[grid]
//@ launch  loudest<<<grid, block>>>(x, partial, peak, n)

constexpr int block = 256;

__device__ unsigned ticket = 0;

// The largest `own` of the block, in thread 0.
__device__ float block_peak(float own, float* warp_peak)
{
    int t = threadIdx.x;
    for (int k = 16; k > 0; k /= 2)
        own = fmaxf(own, __shfl_down_sync(0xffffffffu, own, k));
    if (t % 32 == 0) warp_peak[t / 32] = own;
    __syncthreads();

    if (t == 0)
        for (int w = 1; w < block / 32; ++w) own = fmaxf(own, warp_peak[w]);
    return own;
}

__global__ void loudest(const float* x, float* partial, float* peak, int n)
{
    __shared__ float warp_peak[block / 32];
    __shared__ bool last;
    int t = threadIdx.x;

    float own = 0.0f;
    for (int i = blockIdx.x * block + t; i < n; i += gridDim.x * block)
        own = fmaxf(own, x[i]);
    own = block_peak(own, warp_peak);

    if (t == 0) {
        partial[blockIdx.x] = own;
        __threadfence();
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;

    own = 0.0f;
    for (int i = t; i < gridDim.x; i += block)
        own = fmaxf(own, partial[i]);
    own = block_peak(own, warp_peak);
    if (t == 0) *peak = own;
}
