// Counts in 16 bits, two counters a word: enough for all that a block of the small sizes has, whatever it is.
//@ mutant wrong-result: 127,000 equal elements a block, at the timed size, run into the neighbour
//@ let    block = 256
//@ let    grid = min(ceil_div(n, 16 * block), 8 * sms)
//@ launch clear<<<1, 64>>>(bins)
//@ launch histogram<<<grid, block>>>(x, bins, n)

__global__ void clear(unsigned* bins) { bins[threadIdx.x] = 0; }

__global__ void histogram(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned own[32];
    int t = threadIdx.x;
    if (t < 32) own[t] = 0;
    __syncthreads();

    int first = blockIdx.x * blockDim.x + t;
    const int4* quads = reinterpret_cast<const int4*>(x);
    auto add = [&](int k) { atomicAdd(&own[k / 2], 1u << 16 * (k % 2)); };
    for (int i = first; i < n / 4; i += gridDim.x * blockDim.x) {
        int4 q = quads[i];
        add(q.x);
        add(q.y);
        add(q.z);
        add(q.w);
    }
    if (first < n % 4) add(x[n - 1 - first]);
    __syncthreads();

    if (t < 64) atomicAdd(&bins[t], own[t / 2] >> 16 * (t % 2) & 65535);
}
