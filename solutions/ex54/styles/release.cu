// The lock is given back by a release, which needs no fence of its own.
//@ let    block = 64
//@ scratch lock: i32[1]
//@ launch clear<<<1, 1>>>(lock, range)
//@ launch gather<<<2, block>>>(x, lock, range, n)

#include <cuda/atomic>

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

    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            range[0] = min(range[0], low);
            range[1] = max(range[1], high);
            cuda::atomic_ref<int, cuda::thread_scope_device>(*lock).fetch_sub(1, cuda::memory_order_release);
            done = true;
        }
    }
}
