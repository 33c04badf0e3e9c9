// One record for all elements, two words that belong together: their sum and the
// largest. A lock keeps them together.
// Flaw: every lane takes the lock for itself, so the lanes of a warp enter one by
// one, and the others poll meanwhile.
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
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            record[0] = record[0] + own;
            record[1] = max(record[1], own);
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
