// The samples are used up before the search and loaded again behind it. They are in
// the L1 cache, since each is in the windows of 40 neighbouring threads. Nothing
// but an index outlives the barrier. Both loops are unrolled a little only: a long
// row of loads would need the registers again.
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
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();

    int sum = 0;
    #pragma unroll 8
    for (int k = 0; k < 40; ++k) sum += x[i + k];
    sum = __reduce_add_sync(0xffffffffu, sum);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
    __syncthreads();
    int level = search(knots, m, total / (40 * 256));

    int rough = 0;
    #pragma unroll 8
    for (int k = 0; k < 40; ++k) rough += abs(x[i + k] - level);
    y[i] = rough;
}
