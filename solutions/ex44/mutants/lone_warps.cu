// Blocks of one warp that take nearly all shared memory, for nothing.
//@ mutant slow: one warp runs on each multiprocessor, and nothing covers its waits: 0.10x on an H200
//@ let    block = 32
//@ launch search<<<ceil_div(n, 16 * block), block, 200000>>>(x, y, n)

__device__ unsigned stir(unsigned s)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    return s;
}

__global__ void search(const unsigned* x, int* y, int n)
{
    int stride = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = i < n ? x[i] : 0;
    int tries = 0;
    #pragma unroll 1
    while (i < n) {
        s = stir(s);
        tries += 1;
        if (s % 64 == 0) {
            y[i] = tries;
            i += stride;
            tries = 0;
            if (i < n) s = x[i];
        }
    }
}
