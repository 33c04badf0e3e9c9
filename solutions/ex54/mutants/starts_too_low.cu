//@ mutant wrong-result: the lowest and the highest begin with numbers that elements may exceed
//@ let     block = 64
//@ scratch lock: i32[1]
//@ launch clear<<<1, 1>>>(lock, range)
//@ launch gather<<<2, block>>>(x, lock, range, n)
__global__ void clear(int* lock, int* range) { lock[0] = 0; range[0] = 999999; range[1] = -999999; }
__global__ void gather(const int* x, int* lock, volatile int* range, int n)
{
    int low = 2000000, high = -2000000;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { low = min(low, x[i]); high = max(high, x[i]); }
    bool done = false;
    while (!done) if (atomicCAS(lock, 0, 1) == 0) {
        __threadfence(); range[0] = min(range[0], low); range[1] = max(range[1], high); __threadfence();
        atomicExch(lock, 0); done = true;
    }
}
