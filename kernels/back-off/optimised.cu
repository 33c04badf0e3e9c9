// The same lock. A lane that does not get it sits out some rounds: more after each
// failed attempt, up to a limit, and each lane of a warp another number of them, or
// all would come back at the same time.
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

    // The lane that has the lock releases it inside the loop, before it waits for
    // others.
    int own = x[i];
    int wait = 0, pause = 1;
    bool done = false;
    while (!done) {
        if (wait > 0) {
            --wait;         // no attempt in this round
        } else if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            record[0] = record[0] + own;
            record[1] = max(record[1], own);
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        } else {
            wait = pause + threadIdx.x % 32;
            pause = min(2 * pause, 64);
        }
    }
}
