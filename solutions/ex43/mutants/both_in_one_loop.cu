// One loop with both steps in it, and a selection in every round.
//@ mutant goal: every lane computes both steps, in every round
//@ let    block = 256
//@ launch stir<<<ceil_div(n, block), block>>>(16, seed, out, n)

__global__ void stir(int rounds, const unsigned* seed, unsigned* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    bool even = i % 2 == 0;
    unsigned s = seed[i];
    #pragma unroll 1
    for (int k = 0; k < rounds; ++k) {
        unsigned x = s;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        unsigned m = s * 1664525u + 1013904223u;
        s = even ? x : m;
    }
    out[i] = s;
}
