// Takes what is less than the smallest normal number for silence.
//@ mutant wrong-result: a signal may be as quiet as that
//@ let     block = 256
//@ let     grid = min(ceil_div(n, 16 * block), 2 * sms)
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
    const float4* quads = reinterpret_cast<const float4*>(x);

    float own = 0.0f;
    #pragma unroll 4
    for (int i = first; i < n / 4; i += gridDim.x * block) {
        float4 q = quads[i];
        own = fmaxf(own, fmaxf(fmaxf(fabsf(q.x), fabsf(q.y)), fmaxf(fabsf(q.z), fabsf(q.w))));
    }
    if (first < n % 4) own = fmaxf(own, fabsf(x[n - 1 - first]));
    if (own < 1.17549435e-38f) own = 0.0f;
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
