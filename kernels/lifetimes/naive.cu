// How rough is a signal? A thread takes a window of 40 samples. Its block finds a
// level in a long sorted table by the block's mean, and the thread adds up the
// distances of its samples from that level.
// Flaw: the samples are needed before the search and after it. They wait for it in
// 40 registers, and so half of the SM stays empty while the other half waits for
// the table.
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

    int v[40];
    int sum = 0;
    #pragma unroll
    for (int k = 0; k < 40; ++k) {
        v[k] = x[i + k];
        sum += v[k];
    }
    sum = __reduce_add_sync(0xffffffffu, sum);
    if (threadIdx.x % 32 == 0) atomicAdd(&total, sum);
    __syncthreads();
    int level = search(knots, m, total / (40 * 256));

    int rough = 0;
    #pragma unroll
    for (int k = 0; k < 40; ++k) rough += abs(v[k] - level);
    y[i] = rough;
}
