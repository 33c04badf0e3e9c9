// The sum of a list in single precision.
//@ mutant wrong-result: beyond 2^24 single precision leaves integers out
//@ let     block = 128
//@ let     buckets = 64
//@ scratch lock: i32[buckets]
//@ scratch head: i32[buckets]
//@ scratch next: i32[n]
//@ launch  clear<<<1, buckets>>>(lock, head)
//@ launch  insert<<<ceil_div(n, block), block>>>(key, lock, head, next, n)
//@ launch  walk<<<1, buckets>>>(value, head, next, length, sum)

__global__ void clear(int* lock, int* head)
{
    lock[threadIdx.x] = 0;
    head[threadIdx.x] = -1;
}

__global__ void insert(const int* key, int* lock, volatile int* head, volatile int* next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = key[i] % 64;
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock[b], 0, 1) == 0) {
            __threadfence();
            next[i] = head[b];
            head[b] = i;
            __threadfence();
            atomicExch(&lock[b], 0);
            done = true;
        }
    }
}

__global__ void walk(const int* value, const int* head, const int* next, int* length, int* sum)
{
    int b = threadIdx.x;
    int found = 0;
    float total = 0;
    for (int i = head[b]; i >= 0; i = next[i]) {
        found += 1;
        total += value[i];
    }
    length[b] = found;
    sum[b] = (int)total;
}
