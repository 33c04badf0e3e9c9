// A histogram: how many elements have each of the values 0 to 63?
// Flaw: every element is an atomic on global memory, and the whole grid queues for 64 words.
//@ let    block = 256
//@ launch clear<<<1, 64>>>(bins)
//@ launch histogram<<<ceil_div(n, block), block>>>(x, bins, n)

__global__ void clear(unsigned* bins)
{
    bins[threadIdx.x] = 0;
}

__global__ void histogram(const int* x, unsigned* bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[x[i]], 1u);
}
