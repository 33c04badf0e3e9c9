// Eight channels lie in turn in one array, and each has an opcode of its own: what
// to do to its samples, sixteen times.
// Flaw: neighbouring lanes have neighbouring channels, so a warp comes to its
// switch with up to eight opcodes.
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
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = x[i];
    int op = program[i % 8];
    #pragma unroll 1
    for (int round = 0; round < 16; ++round) s = step(op, s);
    y[i] = s;
}
