// Runs both loops for every element and keeps the result that is wanted.
//@ mutant goal: no branch divides a warp any more, and all lanes do twice the work
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

    unsigned even = xorshift(seed[i], rounds);
    unsigned odd = multiply_add(seed[i], rounds);
    out[i] = i % 2 == 0 ? even : odd;
}
