// A thread has eight walkers side by side: two int4 of starts and of ends where all eight are there.
//@ let    block = 128
//@ let    mask = places - 1
//@ launch walk<<<ceil_div(n, 8 * block), block>>>(next, start, end, n, mask, steps)

__global__ void walk(const int* next, const int* start, int* end, int n, int mask, int steps)
{
    int first = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    int there = min(max(n - first, 0), 8);
    int a[8] = {};
    #pragma unroll
    for (int k = 0; k < 8; ++k)
        if (k < there) a[k] = start[first + k] & mask;
    for (; steps > 0; --steps) {
        int b[8];
        #pragma unroll
        for (int k = 0; k < 8; ++k) b[k] = next[a[k]] & mask;
        #pragma unroll
        for (int k = 0; k < 8; ++k) a[k] = b[k];
    }
    #pragma unroll
    for (int k = 0; k < 8; ++k)
        if (k < there) end[first + k] = a[k];
}
