// Eight lanes of one warp count up under a lock, each in a loop of its own around
// the attempt.
// `checker run kernels/lock/spin.cu --schedule pre-volta` shows who waits for whom.
//@ let    lanes = 8
//@ scratch lock: i32[1]
//@ scratch sum: i32[1]
//@ out    total: i32[1]
//@ launch clear<<<1, 1>>>(lock, sum)
//@ launch count<<<1, lanes>>>(lock, sum)
//@ launch show<<<1, 1>>>(sum, total)

__global__ void clear(int* lock, int* sum) { *lock = 0; *sum = 0; }

__global__ void count(int* lock, volatile int* sum)
{
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void show(const int* sum, int* total) { *total = *sum; }
