// A kernel for each kind. Every sector comes and goes twice, and memory is read for the half of it that nobody writes: 1.32x on an H200.
//@ let    block = 256
//@ launch even<<<ceil_div(n, 2 * block), block>>>(16, seed, out, n)
//@ launch odd<<<ceil_div(n, 2 * block), block>>>(16, seed, out, n)

__global__ void even(int rounds, const unsigned* seed, unsigned* out, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;

    unsigned s = seed[i];
    #pragma unroll 1
    for (int k = 0; k < rounds; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    out[i] = s;
}

__global__ void odd(int rounds, const unsigned* seed, unsigned* out, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    if (i >= n) return;

    unsigned s = seed[i];
    #pragma unroll 1
    for (int k = 0; k < rounds; ++k)
        s = s * 1664525u + 1013904223u;
    out[i] = s;
}
