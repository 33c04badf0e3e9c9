// Blocks of two warps that take nearly all shared memory, for nothing.
//@ mutant slow: two warps run on each multiprocessor, and nothing covers their waits: 0.09x on an H200
//@ let    block = 64
//@ launch stir<<<ceil_div(n, block), block, 200000>>>(16, seed, out, n)

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
    int i = blockIdx.x * blockDim.x + 2 * place + odd;
    if (i >= n) return;

    if (odd) out[i] = multiply_add(seed[i], rounds);
    else     out[i] = xorshift(seed[i], rounds);
}
