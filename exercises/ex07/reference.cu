// The oracle: a block a bin, each of its threads counts its share, thread 0 adds the shares.
//@ launch histogram_reference<<<64, 128>>>(x, bins, n)

__global__ void histogram_reference(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned share[128];
    unsigned count = 0;
    for (int i = threadIdx.x; i < n; i += 128) {
        if (x[i] == blockIdx.x) count += 1;
    }
    share[threadIdx.x] = count;
    __syncthreads();

    if (threadIdx.x == 0) {
        unsigned total = 0;
        for (int t = 0; t < 128; ++t) total += share[t];
        bins[blockIdx.x] = total;
    }
}
