// Two atomics: nobody looks at the record before all are done.
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

__global__ void gather(const int* x, int* lock, int* range, int n)
{
    int low = 2000000;
    int high = -2000000;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        low = min(low, x[i]);
        high = max(high, x[i]);
    }

    atomicMin(&range[0], low);
    atomicMax(&range[1], high);
}
