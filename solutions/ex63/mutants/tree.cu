// Adds up through shared memory, a barrier per round.
//@ mutant goal: right, and seventeen barriers
//@ let    block = 256
//@ launch spread<<<ceil_div(n, block), block>>>(x, mean, variance, n)

__device__ float block_sum(float v)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    __syncthreads();
    s[t] = v;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    return s[0];
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
