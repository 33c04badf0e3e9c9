// Forgets the + odd.
//@ mutant wrong-result: odd elements are never written, even ones twice
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
    int half = blockDim.x / 2;
    bool odd = threadIdx.x >= half;
    int place = odd ? threadIdx.x - half : threadIdx.x;
    int i = blockIdx.x * blockDim.x + 2 * place;
    if (i >= n) return;

    if (odd) out[i] = multiply_add(seed[i], rounds);
    else     out[i] = xorshift(seed[i], rounds);
}
