// What stands for no element lies inside the range of the elements.
//@ mutant wrong-result: a lane without an element has the number -999, and others may be smaller
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
    int sum = i < n ? x[i] : 0;
    int largest = i < n ? sum : -999;
    for (int k = 16; k > 0; k /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, k);
        largest = max(largest, __shfl_down_sync(0xffffffffu, largest, k));
    }
    if (threadIdx.x % 32 != 0) return;

    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    record[0] = record[0] + sum;
    record[1] = max(record[1], largest);
    __threadfence();
    atomicExch(lock, 0);
}
