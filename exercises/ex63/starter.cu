// Mean and variance of every 256 elements: a warp adds up by shuffles, the eight warps of a block through shared memory.
// Flaw: the second sum is written where warps may still be reading the first.
//@ let    block = 256
//@ launch spread<<<ceil_div(n, block), block>>>(x, mean, variance, n)

__device__ float block_sum(float v)
{
    __shared__ float partial[8];
    for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
    __syncthreads();
    v = partial[threadIdx.x % 8];
    for (int k = 4; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
    return v;
}

__global__ void spread(const float* x, float* mean, float* variance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = min(256, n - 256 * blockIdx.x);
    float own = i < n ? x[i] : 0.0f;

    float centre = block_sum(own) / count;
    float d = i < n ? own - centre : 0.0f;
    float square = block_sum(d * d) / count;
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = centre;
        variance[blockIdx.x] = square;
    }
}
