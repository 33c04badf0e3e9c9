// The same channels, a warp each: the eight warps of a block take its eight
// channels.
// Global memory is read and written in the order in which it lies; the samples
// change hands in shared memory. Rows of 36 words put the eight channels of a
// warp's access into different banks, on the way in as on the way out.
//@ let    block = 256
//@ launch interpret<<<ceil_div(n, block), block>>>(x, program, y, n)

// One round of an opcode.
__device__ unsigned step(int op, unsigned s)
{
    switch (op) {
    case 0: s ^= s << 13; s ^= s >> 17; return s ^ s << 5;
    case 1: return s * 1664525u + 1013904223u;
    case 2: return __brev(s) + 0x9e3779b9u;
    case 3: return __popc(s) * 0x01000193u ^ s;
    case 4: return (s >> 7 | s << 25) * 5u + 0xe6546b64u;
    case 5: return max(s, ~s) - (s >> 3);
    case 6: return __umulhi(s, 0xcc9e2d51u) ^ s << 9;
    default: return s - (s & 0x55555555u) * 3u;
    }
}

__global__ void interpret(const unsigned* x, const int* program, unsigned* y, int n)
{
    __shared__ unsigned samples[8][36];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    samples[t % 8][t / 8] = i < n ? x[i] : 0;
    __syncthreads();

    int channel = t / 32;
    unsigned s = samples[channel][t % 32];
    int op = program[channel];
    #pragma unroll 1
    for (int round = 0; round < 16; ++round) s = step(op, s);
    samples[channel][t % 32] = s;
    __syncthreads();

    if (i < n) y[i] = samples[t % 8][t / 8];
}
