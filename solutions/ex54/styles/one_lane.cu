// The warp agrees by shuffles, and one lane takes the lock for all: nobody polls beside the lane that has it.
//@ let    block = 64
//@ scratch lock: i32[1]
//@ launch clear<<<1, 1>>>(lock, range)
//@ launch gather<<<2, block>>>(x, lock, range, n)

__global__ void clear(int* lock, int* range)
{
    lock[0] = 0;
    range[0] = 2000000;
    range[1] = -2000000;
}

__global__ void gather(const int* x, int* lock, volatile int* range, int n)
{
    int low = 2000000;
    int high = -2000000;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        low = min(low, x[i]);
        high = max(high, x[i]);
    }

    low = __reduce_min_sync(0xffffffffu, low);
    high = __reduce_max_sync(0xffffffffu, high);
    if (threadIdx.x % 32 != 0) return;

    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    range[0] = min(range[0], low);
    range[1] = max(range[1], high);
    __threadfence();
    atomicExch(lock, 0);
}
