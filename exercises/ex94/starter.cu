// The loudest sample of a signal: the largest magnitude, in two launches.
// Flaw: the second launch is there only to compare a few hundred numbers that the first one had at hand.
//@ let     block = 256
//@ let     grid = min(ceil_div(n, block), 4 * sms)
//@ scratch partial: f32[grid]
//@ launch  loudest<<<grid, block>>>(x, partial, n)
//@ launch  loudest<<<1, block>>>(partial, peak, grid)

constexpr int block = 256;

__global__ void loudest(const float* x, float* peaks, int n)
{
    __shared__ float warp_peak[block / 32];
    int t = threadIdx.x;

    float own = 0.0f;
    for (int i = blockIdx.x * block + t; i < n; i += gridDim.x * block)
        own = fmaxf(own, fabsf(x[i]));

    for (int k = 16; k > 0; k /= 2)
        own = fmaxf(own, __shfl_down_sync(0xffffffffu, own, k));
    if (t % 32 == 0) warp_peak[t / 32] = own;
    __syncthreads();

    if (t == 0) {
        for (int w = 1; w < block / 32; ++w) own = fmaxf(own, warp_peak[w]);
        peaks[blockIdx.x] = own;
    }
}
