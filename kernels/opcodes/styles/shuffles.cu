// Without shared memory: a warp holds 256 samples, and eight rounds bring 32 of each channel into its lanes by shuffles.
//@ let    block = 128
//@ launch interpret<<<ceil_div(n, 8 * block), block>>>(x, program, y, n)

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
    constexpr unsigned all = 0xffffffffu;
    int lane = threadIdx.x % 32;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 256;
    unsigned held[8];
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + 32 * k + lane;
        held[k] = i < n ? x[i] : 0;
    }

    // Sample 8 * lane + channel is word lane / 4 of lane 8 * (lane % 4) + channel.
    #pragma unroll 1
    for (int channel = 0; channel < 8; ++channel) {
        unsigned s = 0;
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            unsigned got = __shfl_sync(all, held[k], lane % 4 * 8 + channel);
            s = lane / 4 == k ? got : s;
        }
        int op = program[channel];
        #pragma unroll 1
        for (int round = 0; round < 16; ++round) s = step(op, s);
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            unsigned got = __shfl_sync(all, s, 4 * k + lane / 8);
            held[k] = lane % 8 == channel ? got : held[k];
        }
    }

    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + 32 * k + lane;
        if (i < n) y[i] = held[k];
    }
}
