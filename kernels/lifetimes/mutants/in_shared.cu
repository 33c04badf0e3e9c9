// Keeps the samples in shared memory.
//@ mutant goal: five blocks of 40 KB fill an SM, and the occupancy is what it was
//@ let    block = 256
//@ launch roughness<<<blocks, block>>>(x, knots, y, m)

// m is a power of two less one: every question halves what is left.
__device__ int search(const int* knots, int m, int key)
{
    int below = 0;
    for (int step = (m + 1) / 2; step > 0; step /= 2)
        if (knots[below + step - 1] < key) below += step;
    return below;
}

__global__ void roughness(const int* x, const int* knots, int* y, int m)
{
    __shared__ int total;
    __shared__ int kept[40][256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();

    int sum = 0;
    #pragma unroll
    for (int k = 0; k < 40; ++k) {
        kept[k][threadIdx.x] = x[i + k];
        sum += kept[k][threadIdx.x];
    }
    sum = __reduce_add_sync(0xffffffffu, sum);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
    __syncthreads();
    int level = search(knots, m, total / (40 * 256));

    int rough = 0;
    #pragma unroll
    for (int k = 0; k < 40; ++k) rough += abs(kept[k][threadIdx.x] - level);
    y[i] = rough;
}
