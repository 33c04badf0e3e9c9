// The sum of an array in two launches: a partial sum per block, then one block for
// the partial sums.
// Flaw: the second launch exists only because blocks cannot wait for each other,
// and for a small array starting it costs about as much as the work.
//@ let     block = 256
//@ let     grid = min(ceil_div(n, block), 8 * sms)
//@ scratch partial: f32[grid]
//@ launch  total<<<grid, block>>>(x, partial, n)
//@ launch  total<<<1, block>>>(partial, sum, grid)

constexpr int block = 256;
constexpr unsigned full = 0xffffffffu;

__global__ void total(const float* x, float* sums, int n)
{
    __shared__ float warp_sum[block / 32];
    int t = threadIdx.x;

    float own = 0.0f;
    for (int i = blockIdx.x * block + t; i < n; i += gridDim.x * block)
        own += x[i];

    for (int k = 16; k > 0; k /= 2)
        own += __shfl_down_sync(full, own, k);
    if (t % 32 == 0) warp_sum[t / 32] = own;
    __syncthreads();

    if (t == 0) {
        for (int w = 1; w < block / 32; ++w) own += warp_sum[w];
        sums[blockIdx.x] = own;
    }
}
