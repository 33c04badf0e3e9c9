// A channel per warp, and the case called through a pointer: the compiler makes an indirect call of it.
//@ let    block = 256
//@ launch interpret<<<ceil_div(n, block), block>>>(x, program, y, n)

__device__ __noinline__ unsigned xorshift(unsigned s) { s ^= s << 13; s ^= s >> 17; return s ^ s << 5; }
__device__ __noinline__ unsigned congruence(unsigned s) { return s * 1664525u + 1013904223u; }
__device__ __noinline__ unsigned mirror(unsigned s) { return __brev(s) + 0x9e3779b9u; }
__device__ __noinline__ unsigned weigh(unsigned s) { return __popc(s) * 0x01000193u ^ s; }
__device__ __noinline__ unsigned rotate(unsigned s) { return (s >> 7 | s << 25) * 5u + 0xe6546b64u; }
__device__ __noinline__ unsigned fold(unsigned s) { return max(s, ~s) - (s >> 3); }
__device__ __noinline__ unsigned high(unsigned s) { return __umulhi(s, 0xcc9e2d51u) ^ s << 9; }
__device__ __noinline__ unsigned thin(unsigned s) { return s - (s & 0x55555555u) * 3u; }

using Step = unsigned (*)(unsigned);
__device__ Step steps[8] = {xorshift, congruence, mirror, weigh, rotate, fold, high, thin};

__global__ void interpret(const unsigned* x, const int* program, unsigned* y, int n)
{
    __shared__ unsigned samples[8][36];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    samples[t % 8][t / 8] = i < n ? x[i] : 0;
    __syncthreads();

    int channel = t / 32;
    unsigned s = samples[channel][t % 32];
    Step step = steps[program[channel]];
    #pragma unroll 1
    for (int round = 0; round < 16; ++round) s = step(s);
    samples[channel][t % 32] = s;
    __syncthreads();

    if (i < n) y[i] = samples[t % 8][t / 8];
}
