// Counts before all counters are clear.
//@ mutant race: a counter may be cleared after it has been counted up
//@ let    block = 256
//@ let    grid = min(ceil_div(n, 16 * block), 4 * sms)
//@ launch clear<<<1, 64>>>(bins)
//@ launch histogram<<<grid, block>>>(x, bins, n)

__global__ void clear(unsigned* bins)
{
    bins[threadIdx.x] = 0;
}

__global__ void histogram(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned own[64];
    int t = threadIdx.x;
    if (t < 64) own[t] = 0;

    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[x[i]], 1u);
    __syncthreads();

    if (t < 64) atomicAdd(&bins[t], own[t]);
}
