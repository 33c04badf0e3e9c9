// Some blocks read all, and from one round to another count three of four.
//@ mutant wrong-result: fewer are counted than are read
//@ let    block = 256
//@ let    grid = min(ceil_div(n, 16 * block), 8 * sms)
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
    __syncthreads();

    int first = blockIdx.x * blockDim.x + t;
    const int4* quads = reinterpret_cast<const int4*>(x);
    for (int i = first; i < n / 4; i += gridDim.x * blockDim.x) {
        int4 q = quads[i];
        atomicAdd(&own[q.x], 1u);
        atomicAdd(&own[q.y], 1u);
        atomicAdd(&own[q.z], 1u);
        int round = i / (gridDim.x * blockDim.x);
        if (round / 32 != 1 || blockIdx.x / 32 != 3) atomicAdd(&own[q.w], 1u);
    }
    if (first < n % 4) atomicAdd(&own[x[n - 1 - first]], 1u);
    __syncthreads();

    if (t < 64) atomicAdd(&bins[t], own[t]);
}
