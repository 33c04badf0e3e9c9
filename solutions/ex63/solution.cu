// The same two sums, each with a place of its own. No thread writes the second place before the second barrier has brought all warps past the
// first, so one barrier per sum is enough.
//@ let    block = 256
//@ launch spread<<<ceil_div(n, block), block>>>(x, mean, variance, n)

__device__ float block_sum(float* partial, float v)
{
    for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
    __syncthreads();
    v = partial[threadIdx.x % 8];
    for (int k = 4; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
    return v;
}

__global__ void spread(const float* x, float* mean, float* variance, int n)
{
    __shared__ float sums[8], squares[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int count = min(256, n - 256 * blockIdx.x);
    float own = i < n ? x[i] : 0.0f;

    float centre = block_sum(sums, own) / count;
    float d = i < n ? own - centre : 0.0f;
    float square = block_sum(squares, d * d) / count;
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = centre;
        variance[blockIdx.x] = square;
    }
}
