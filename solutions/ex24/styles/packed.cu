// A number has 8 bits: four of them wait in one register, and one instruction takes the distances of all four.
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
    unsigned four[12];
    unsigned total = 0;
    #pragma unroll
    for (int k = 0; k < 12; ++k) {
        four[k] = 0;
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            unsigned number = draw(state);
            total += number;
            four[k] |= number << 8 * j;
        }
    }
    total = __reduce_add_sync(0xffffffffu, total);
    int level = walk(next, m, total);

    unsigned sum = 0;
    #pragma unroll
    for (int k = 0; k < 12; ++k) sum += __vsadu4(four[k], level * 0x01010101u);
    y[i] = sum;
}
