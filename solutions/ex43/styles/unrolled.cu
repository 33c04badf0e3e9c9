// Two neighbours a thread, both loops unrolled.
//@ let    block = 256
//@ launch stir<<<ceil_div(n, 2 * block), block>>>(16, seed, out, n)

__global__ void stir(int rounds, const unsigned* seed, unsigned* out, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    unsigned s = seed[i];
    #pragma unroll 8
    for (int k = 0; k < rounds; ++k) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; }
    out[i] = s;
    if (i + 1 >= n) return;
    s = seed[i + 1];
    #pragma unroll 8
    for (int k = 0; k < rounds; ++k) s = s * 1664525u + 1013904223u;
    out[i + 1] = s;
}
