// Counts in eight bits, four counters a word.
//@ mutant wrong-result: a counter that goes beyond 255 runs into its neighbour
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
    __shared__ unsigned own[16];
    int t = threadIdx.x;
    if (t < 16) own[t] = 0;
    __syncthreads();

    int first = blockIdx.x * blockDim.x + t;
    const int4* quads = reinterpret_cast<const int4*>(x);
    for (int i = first; i < n / 4; i += gridDim.x * blockDim.x) {
        int4 q = quads[i];
        atomicAdd(&own[q.x / 4], 1u << 8 * (q.x % 4));
        atomicAdd(&own[q.y / 4], 1u << 8 * (q.y % 4));
        atomicAdd(&own[q.z / 4], 1u << 8 * (q.z % 4));
        atomicAdd(&own[q.w / 4], 1u << 8 * (q.w % 4));
    }
    if (first < n % 4) {
        int value = x[n - 1 - first];
        atomicAdd(&own[value / 4], 1u << 8 * (value % 4));
    }
    __syncthreads();

    if (t < 64) atomicAdd(&bins[t], own[t / 4] >> 8 * (t % 4) & 255);
}
