// The oracle: one step a line, one thread an element.
//@ launch stir_reference<<<ceil_div(n, 64), 64>>>(16, seed, out, n)

__global__ void stir_reference(int rounds, const unsigned* seed, unsigned* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = seed[i];
    for (int k = 0; k < rounds; ++k) {
        if (i % 2 == 0) {
            unsigned a = s ^ (s << 13);
            unsigned b = a ^ (a >> 17);
            s = b ^ (b << 5);
        } else {
            unsigned product = s * 1664525u;
            s = product + 1013904223u;
        }
    }
    out[i] = s;
}
