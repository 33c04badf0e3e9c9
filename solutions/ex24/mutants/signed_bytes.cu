// Packs four numbers into a register and takes them out as signed bytes.
//@ mutant wrong-result: numbers from 128 on become negative
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
    char4 four[12];
    unsigned total = 0;
    #pragma unroll
    for (int k = 0; k < 12; ++k) {
        unsigned a = draw(state), b = draw(state), c = draw(state), d = draw(state);
        total += a + b + c + d;
        four[k] = make_char4(a, b, c, d);
    }
    total = __reduce_add_sync(0xffffffffu, total);
    int level = walk(next, m, total);

    unsigned sum = 0;
    #pragma unroll
    for (int k = 0; k < 12; ++k)
        sum += abs(four[k].x - level) + abs(four[k].y - level) + abs(four[k].z - level) + abs(four[k].w - level);
    y[i] = sum;
}
