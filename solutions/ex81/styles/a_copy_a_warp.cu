// Counters for each warp, added up at the end.
//@ let    block = 256
//@ let    grid = min(ceil_div(n, 4096), 8 * sms)
//@ launch clear<<<1, 64>>>(bins)
//@ launch histogram<<<grid, block>>>(x, bins, n)

__global__ void clear(unsigned* bins)
{
    bins[threadIdx.x] = 0;
}

__global__ void histogram(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned own[8][64];
    int t = threadIdx.x;
    for (int i = t; i < 8 * 64; i += blockDim.x) own[i / 64][i % 64] = 0;
    __syncthreads();

    unsigned* mine = own[t / 32];
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[x[i]], 1u);
    __syncthreads();

    if (t < 64) {
        unsigned all = 0;
        for (int w = 0; w < 8; ++w) all += own[w][t];
        if (all > 0) atomicAdd(&bins[t], all);
    }
}
