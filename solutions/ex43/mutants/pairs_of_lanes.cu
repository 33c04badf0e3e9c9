// Deals in pairs instead of warps.
//@ mutant goal: lanes 0 and 1 even, 2 and 3 odd: a warp still has both
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
    bool odd = threadIdx.x / 2 % 2;
    int place = threadIdx.x / 4 * 2 + threadIdx.x % 2;
    int i = blockIdx.x * blockDim.x + 2 * place + odd;
    if (i >= n) return;

    if (odd) out[i] = multiply_add(seed[i], rounds);
    else     out[i] = xorshift(seed[i], rounds);
}
