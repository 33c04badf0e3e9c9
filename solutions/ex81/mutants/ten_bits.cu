// Counts in ten bits, three counters a word: enough for 4096 values of 64 kinds, and not for the timed size.
//@ mutant wrong-result: a counter that goes beyond 1023 runs into its neighbour
//@ let    block = 256
//@ let    grid = min(ceil_div(n, 16 * block), 8 * sms)
//@ launch clear<<<1, 64>>>(bins)
//@ launch histogram<<<grid, block>>>(x, bins, n)

__global__ void clear(unsigned* bins) { bins[threadIdx.x] = 0; }

__global__ void histogram(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned own[22];
    int t = threadIdx.x;
    if (t < 22) own[t] = 0;
    __syncthreads();

    int first = blockIdx.x * blockDim.x + t;
    const int4* quads = reinterpret_cast<const int4*>(x);
    auto add = [&](int k) { atomicAdd(&own[k / 3], 1u << 10 * (k % 3)); };
    for (int i = first; i < n / 4; i += gridDim.x * blockDim.x) {
        int4 q = quads[i];
        add(q.x);
        add(q.y);
        add(q.z);
        add(q.w);
    }
    if (first < n % 4) add(x[n - 1 - first]);
    __syncthreads();

    if (t < 64) atomicAdd(&bins[t], own[t / 3] >> 10 * (t % 3) & 1023);
}
