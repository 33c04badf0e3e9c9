// No lock: the element points to the head that it has seen, and becomes the head if that is still so.
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

__global__ void insert(const int* key, int* lock, int* head, int* next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int b = key[i] % 64;
    int seen = -1;
    bool done = false;
    while (!done) {
        next[i] = seen;
        __threadfence();
        int found = atomicCAS(&head[b], seen, i);
        done = found == seen;
        seen = found;
    }
}

__global__ void walk(const int* value, const int* head, const int* next, int* length, int* sum)
{
    int b = threadIdx.x;
    int found = 0;
    int total = 0;
    for (int i = head[b]; i >= 0; i = next[i]) {
        found += 1;
        total += value[i];
    }
    length[b] = found;
    sum[b] = total;
}
