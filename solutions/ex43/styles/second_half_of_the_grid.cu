// The second half of the grid has the odd elements. It writes the other half of every sector when that is long gone: 1.28x on an H200.
//@ let    block = 256
//@ launch stir<<<2 * ceil_div(n, 2 * block), block>>>(16, seed, out, n)

__global__ void stir(int rounds, const unsigned* seed, unsigned* out, int n)
{
    int half = gridDim.x / 2, odd = blockIdx.x >= half;
    int i = 2 * ((blockIdx.x - odd * half) * blockDim.x + threadIdx.x) + odd;
    if (i >= n) return;

    unsigned s = seed[i];
    if (odd) {
        #pragma unroll 1
        for (int k = 0; k < rounds; ++k)
            s = s * 1664525u + 1013904223u;
    } else {
        #pragma unroll 1
        for (int k = 0; k < rounds; ++k) {
            s ^= s << 13;
            s ^= s >> 17;
            s ^= s << 5;
        }
    }
    out[i] = s;
}
