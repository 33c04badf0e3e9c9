// Keeps the numbers in shared memory.
//@ mutant goal: 48 KB per block leave room for four blocks on an SM, not eight
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
    __shared__ unsigned number[48][256];
    unsigned total = 0;
    #pragma unroll 4
    for (int k = 0; k < 48; ++k) {
        number[k][threadIdx.x] = draw(state);
        total += number[k][threadIdx.x];
    }
    total = __reduce_add_sync(0xffffffffu, total);
    int level = walk(next, m, total);

    unsigned sum = 0;
    #pragma unroll 4
    for (int k = 0; k < 48; ++k) sum += abs(int(number[k][threadIdx.x]) - level);
    y[i] = sum;
}
