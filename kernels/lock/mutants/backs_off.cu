// Waits a while after every attempt that failed.
//@ mutant goal: polls less, and still takes 32 turns a warp
//@ let    block = 128
//@ scratch lock: i32[1]
//@ launch clear<<<1, 1>>>(lock, record)
//@ launch gather<<<ceil_div(n, block), block>>>(x, lock, record, n)

__global__ void clear(int* lock, int* record)
{
    lock[0] = 0;
    record[0] = 0;
    record[1] = -1000000;
}

__global__ void gather(const int* x, int* lock, volatile int* record, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    // Who has the lock gives it back inside the loop, before it waits for anybody.
    int own = x[i];
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            record[0] = record[0] + own;
            record[1] = max(record[1], own);
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        } else {
            __nanosleep(200);
        }
    }
}
