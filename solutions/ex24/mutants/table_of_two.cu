// Is off by one level where the table has two places.
//@ mutant wrong-result: right for every other size of the table
//@ let    block = 256
//@ launch distances<<<ceil_div(32 * warps, block), block>>>(seed, next, y, 32 * warps, m)

// One step of a random number generator; its upper 8 bits are the number.
__device__ unsigned draw(unsigned& state)
{
    state = state * 1664525u + 1013904223u;
    return state >> 24;
}

// m is a power of two.
__device__ unsigned walk(const unsigned* next, unsigned m, unsigned place)
{
    for (int k = 0; k < 32; ++k) place = next[place & (m - 1)];
    return place >> 24;
}

__global__ void distances(const unsigned* seed, const unsigned* next, unsigned* y, int n, unsigned m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned state = seed[i];
    unsigned total = 0;
    #pragma unroll 4
    for (int k = 0; k < 48; ++k) total += draw(state);
    total = __reduce_add_sync(0xffffffffu, total);
    int level = walk(next, m, total) + (m == 2);

    state = seed[i];
    unsigned sum = 0;
    #pragma unroll 4
    for (int k = 0; k < 48; ++k) sum += abs(int(draw(state)) - level);
    y[i] = sum;
}
