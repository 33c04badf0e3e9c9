// The oracle: after a first launch has cleared the bins, each block counts its share apart and adds what it has counted.
//@ launch clear_reference<<<1, 64>>>(bins)
//@ launch histogram_reference<<<min(ceil_div(n, 1024), 2112), 128>>>(x, bins, n)

__global__ void clear_reference(unsigned* bins)
{
    bins[threadIdx.x] = 0;
}

__global__ void histogram_reference(const int* x, unsigned* bins, int n)
{
    __shared__ unsigned share[64];
    if (threadIdx.x < 64) share[threadIdx.x] = 0;
    __syncthreads();

    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) atomicAdd(&share[x[i]], 1u);
    __syncthreads();

    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], share[threadIdx.x]);
}
