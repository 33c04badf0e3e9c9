// One block for all points.
//@ mutant goal: one multiprocessor works, and all others wait
//@ launch enclose<<<1, 1024>>>(x, y, box, n)

__global__ void enclose(const int* x, const int* y, int* box, int n)
{
    __shared__ int all[4];
    if (threadIdx.x < 4) all[threadIdx.x] = threadIdx.x < 2 ? 2000000000 : -2000000000;
    __syncthreads();
    int left = 2000000000, low = left, right = -left, high = -left;
    for (int i = threadIdx.x; i < n; i += 1024) {
        left = min(left, x[i]);
        right = max(right, x[i]);
        low = min(low, y[i]);
        high = max(high, y[i]);
    }
    left = __reduce_min_sync(0xffffffffu, left);
    low = __reduce_min_sync(0xffffffffu, low);
    right = __reduce_max_sync(0xffffffffu, right);
    high = __reduce_max_sync(0xffffffffu, high);
    if (threadIdx.x % 32 == 0) {
        atomicMin(&all[0], left);
        atomicMin(&all[1], low);
        atomicMax(&all[2], right);
        atomicMax(&all[3], high);
    }
    __syncthreads();
    if (threadIdx.x < 4) box[threadIdx.x] = all[threadIdx.x];
}
