// The oracle, in integers: a block's level first, by counting the table's smaller knots.
//@ scratch level: i32[blocks]
//@ launch levels<<<blocks, 32>>>(x, knots, level, m)
//@ launch rough<<<blocks, 256>>>(x, level, y)

// The sum of `own` over the warp, for all lanes.
__device__ int total(int own)
{
    __shared__ int share[32];
    __syncthreads();
    share[threadIdx.x] = own;
    __syncthreads();
    int all = 0;
    for (int lane = 0; lane < 32; ++lane) all += share[lane];
    return all;
}

__global__ void levels(const int* x, const int* knots, int* level, int m)
{
    int own = 0;
    for (int t = threadIdx.x; t < 256; t += 32)
        #pragma unroll
        for (int k = 0; k < 40; ++k) own += x[256 * blockIdx.x + t + k];
    int key = total(own) / (40 * 256);

    int smaller = 0;
    for (int k = threadIdx.x; k < m; k += 32)
        if (knots[k] < key) ++smaller;
    int below = total(smaller);
    if (threadIdx.x == 0) level[blockIdx.x] = below;
}

__global__ void rough(const int* x, const int* level, int* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int here = level[i / 256];
    int rough = 0;
    #pragma unroll
    for (int k = 0; k < 40; ++k) {
        int distance = x[i + k] - here;
        rough += distance < 0 ? -distance : distance;
    }
    y[i] = rough;
}
