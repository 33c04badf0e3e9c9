// Warps take even and odd elements in turn.
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
    // Of 64 elements warp 2w takes the even ones, warp 2w + 1 the odd ones.
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int odd = thread / 32 % 2;
    int i = thread / 64 * 64 + thread % 32 * 2 + odd;
    if (i >= n) return;

    out[i] = odd ? multiply_add(seed[i], rounds) : xorshift(seed[i], rounds);
}
