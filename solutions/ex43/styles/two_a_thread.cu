// A thread takes an even element and the odd one behind it: all lanes run the one loop, then all the other.
//@ let    block = 128
//@ launch stir<<<ceil_div(n, 2 * block), block>>>(16, seed, out, n)

__device__ unsigned xorshift(unsigned s, int rounds)
{
    for (int k = 0; k < rounds; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    return s;
}

__device__ unsigned multiply_add(unsigned s, int rounds)
{
    for (int k = 0; k < rounds; ++k) s = s * 1664525u + 1013904223u;
    return s;
}

__global__ void stir(int rounds, const unsigned* seed, unsigned* out, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) out[i] = xorshift(seed[i], rounds);
    if (i + 1 < n) out[i + 1] = multiply_add(seed[i + 1], rounds);
}
