// Mean and variance of a signal: the mean first, then the mean square of the distances from it.
// Flaw: no distance can be taken before the mean is known, so everything is read twice.
//@ let     block = 256
//@ let     grid = min(ceil_div(n, 16 * block), 8 * sms)
//@ scratch partial: f32[grid]
//@ launch  sums<<<grid, block>>>(x, partial, n)
//@ launch  average<<<1, block>>>(partial, mean, grid, n)
//@ launch  squares<<<grid, block>>>(x, mean, partial, n)
//@ launch  average<<<1, block>>>(partial, variance, grid, n)

constexpr int block = 256;

// The block's sum, in thread 0.
__device__ float block_sum(float own)
{
    __shared__ float warp_sum[block / 32];
    int t = threadIdx.x;
    for (int k = 16; k > 0; k /= 2)
        own += __shfl_down_sync(0xffffffffu, own, k);
    if (t % 32 == 0) warp_sum[t / 32] = own;
    __syncthreads();

    if (t == 0)
        for (int w = 1; w < block / 32; ++w) own += warp_sum[w];
    return own;
}

__global__ void sums(const float* x, float* partial, int n)
{
    float own = 0.0f;
    #pragma unroll 4
    for (int i = blockIdx.x * block + threadIdx.x; i < n; i += gridDim.x * block)
        own += x[i];

    own = block_sum(own);
    if (threadIdx.x == 0) partial[blockIdx.x] = own;
}

__global__ void squares(const float* x, const float* mean, float* partial, int n)
{
    float m = *mean;
    float own = 0.0f;
    #pragma unroll 4
    for (int i = blockIdx.x * block + threadIdx.x; i < n; i += gridDim.x * block)
        own += (x[i] - m) * (x[i] - m);

    own = block_sum(own);
    if (threadIdx.x == 0) partial[blockIdx.x] = own;
}

__global__ void average(const float* partial, float* result, int parts, int n)
{
    float own = 0.0f;
    for (int i = threadIdx.x; i < parts; i += block)
        own += partial[i];

    own = block_sum(own);
    if (threadIdx.x == 0) *result = own / n;
}
