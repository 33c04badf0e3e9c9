// A thread takes sixteen neighbours, one after the other.
//@ mutant goal: shared memory and few global atomics, and neighbouring lanes read words 64 bytes apart
//@ let    block = 256
//@ launch clear<<<1, 64>>>(bins)
//@ launch histogram<<<ceil_div(n, 16 * block), block>>>(x, bins, n)

__global__ void clear(unsigned* bins)
{
    bins[threadIdx.x] = 0;
}

__global__ void histogram(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned own[64];
    int t = threadIdx.x;
    if (t < 64) own[t] = 0;
    __syncthreads();

    int first = blockIdx.x * blockDim.x + t;
    for (int i = 16 * first; i < min(16 * first + 16, n); ++i) atomicAdd(&own[x[i]], 1u);
    __syncthreads();

    if (t < 64) atomicAdd(&bins[t], own[t]);
}
