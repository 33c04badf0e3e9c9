// The oracle: one thread per element.
//@ launch stir_reference<<<ceil_div(n, 64), 64>>>(seed, drawn, out, rare, n)

__global__ void stir_reference(const unsigned* seed, const int* drawn, unsigned* out, int rare, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = seed[i];
    for (int left = drawn[i] % rare == 0 ? 256 : 8; left > 0; --left) {
        unsigned a = s ^ (s << 13);
        unsigned b = a ^ (a >> 17);
        s = b ^ (b << 5);
    }
    out[i] = s;
}
