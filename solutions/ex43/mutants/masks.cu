// Masks take the place of the branch.
//@ mutant goal: what is masked is computed all the same
//@ let    block = 256
//@ launch stir<<<ceil_div(n, block), block>>>(16, seed, out, n)

__device__ unsigned xorshift(unsigned s, int rounds)
{
    #pragma unroll 1
    for (int k = 0; k < rounds; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    return s;
}

__device__ unsigned multiply_add(unsigned s, int rounds)
{
    #pragma unroll 1
    for (int k = 0; k < rounds; ++k)
        s = s * 1664525u + 1013904223u;
    return s;
}

__global__ void stir(int rounds, const unsigned* seed, unsigned* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = seed[i];
    unsigned x = s, m = s;
    for (int k = 0; k < rounds; ++k) {
        unsigned odd = i % 2;
        x ^= (x << 13) & (odd - 1);
        x ^= (x >> 17) & (odd - 1);
        x ^= (x << 5) & (odd - 1);
        m = odd * (m * 1664525u + 1013904223u);
    }
    out[i] = i % 2 ? m : x;
}
