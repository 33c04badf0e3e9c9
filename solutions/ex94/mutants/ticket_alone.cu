// Draws tickets, and reads as before: one sample a load, four blocks a multiprocessor.
//@ mutant goal: the fences cost what the launch cost: 0.98x on an H200
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

    if (t < 32) {
        own = t < block / 32 ? warp_peak[t] : 0.0f;
        for (int k = block / 64; k > 0; k /= 2)
            own = fmaxf(own, __shfl_down_sync(0xffffffffu, own, k));
    }
    return own;
}

__global__ void loudest(const float* x, float* partial, float* peak, int n)
{
    __shared__ float warp_peak[block / 32];
    __shared__ bool last;
    int t = threadIdx.x;
    int first = blockIdx.x * block + t;

    float own = 0.0f;
    for (int i = first; i < n; i += gridDim.x * block) own = fmaxf(own, fabsf(x[i]));
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
