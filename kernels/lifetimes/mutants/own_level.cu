// Each warp looks up a level of its own.
//@ mutant wrong-result: the level is the block's
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
    int level = search(knots, m, sum / (40 * 32));

    int rough = 0;
    #pragma unroll 8
    for (int k = 0; k < 40; ++k) rough += abs(x[i + k] - level);
    y[i] = rough;
}
