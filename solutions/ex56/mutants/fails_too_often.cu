// Compare-and-swap, 34 attempts at most: as many lanes as want the same head can be in each other's way.
//@ mutant wrong-result: an element is lost when its lane has failed 34 times
//@ let     block = 128
//@ let     buckets = 64
//@ scratch lock: i32[buckets]
//@ scratch head: i32[buckets]
//@ scratch next: i32[n]
//@ launch  clear<<<1, buckets>>>(lock, head)
//@ launch  insert<<<ceil_div(n, block), block>>>(key, lock, head, next, n)
//@ launch  walk<<<1, buckets>>>(value, head, next, length, sum)

__global__ void clear(int* lock, int* head) { lock[threadIdx.x] = 0; head[threadIdx.x] = -1; }

__global__ void insert(const int* key, int* lock, int* head, int* next, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int b = key[i] % 64, seen = -1;
    for (int attempt = 0; attempt < 34; ++attempt) {
        next[i] = seen;
        __threadfence();
        int old = atomicCAS(&head[b], seen, i);
        if (old == seen) return;
        seen = old;
    }
}

__global__ void walk(const int* value, const int* head, const int* next, int* length, int* sum)
{
    int b = threadIdx.x, found = 0, total = 0;
    for (int i = head[b]; i >= 0; i = next[i]) {
        found += 1;
        total += value[i];
    }
    length[b] = found;
    sum[b] = total;
}
