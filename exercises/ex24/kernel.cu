// Each thread draws 48 numbers from its seed. The total of its warp says where a walk of
// 32 steps through a table begins. Where it ends is the level; the result is the sum of
// the distances of the thread's numbers from the level.
// Flaw: the 48 numbers wait in registers for the end of the walk.
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
    unsigned number[48];
    unsigned total = 0;
    #pragma unroll
    for (int k = 0; k < 48; ++k) {
        number[k] = draw(state);
        total += number[k];
    }
    total = __reduce_add_sync(0xffffffffu, total);
    int level = walk(next, m, total);

    unsigned sum = 0;
    #pragma unroll
    for (int k = 0; k < 48; ++k) sum += abs(int(number[k]) - level);
    y[i] = sum;
}
