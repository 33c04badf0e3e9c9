// The bins are cleared by exchanges.
//@ let    block = 256
//@ launch clear<<<1, 64>>>(bins)
//@ launch histogram<<<ceil_div(n, 4096), block>>>(x, bins, n)

__global__ void clear(unsigned* bins) { atomicExch(bins + threadIdx.x, 0u); }
__global__ void histogram(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 4096 + threadIdx.x, e = min(n, (blockIdx.x + 1) * 4096); i < e; i += 256) atomicAdd(s + x[i], 1u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(bins + threadIdx.x, s[threadIdx.x]);
}
