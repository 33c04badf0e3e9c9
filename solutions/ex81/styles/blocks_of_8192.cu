// Counters for each warp, and a block for every 8192 elements: at the counted size four blocks are enough.
//@ let    block = 256
//@ let    grid = min(ceil_div(n, 8192), 8 * sms)
//@ launch clear<<<1, 64>>>(bins)
//@ launch histogram<<<grid, block>>>(x, bins, n)

__global__ void clear(unsigned* bins) { bins[threadIdx.x] = 0; }

__global__ void histogram(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned own[8][64];
    for (int k = threadIdx.x; k < 512; k += 256) own[k / 64][k % 64] = 0;
    __syncthreads();

    unsigned* mine = own[threadIdx.x / 32];
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&mine[x[i]], 1u);
    __syncthreads();

    if (threadIdx.x < 64) {
        unsigned sum = 0;
        for (int w = 0; w < 8; ++w) sum += own[w][threadIdx.x];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}
