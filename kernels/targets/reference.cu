// The oracle.
//@ launch stir_reference<<<ceil_div(n, 64), 64>>>(x, y, spread, n)

__global__ void stir_reference(const unsigned* x, unsigned* y, int spread, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = x[i];
    for (int k = 0; k < 16; ++k) {
        unsigned a = s ^ (s << 13), b = a ^ (a >> 17);
        if (i / spread % 4 == 0) s = b ^ (b << 5);
        else if (i / spread % 4 == 1) s = __popc(s) * 0x01000193u ^ s;
        else if (i / spread % 4 == 2) s = __brev(s) + 0x9e3779b9u;
        else s = ((s >> 7) | (s << 25)) * 5u + 0xe6546b64u;
    }
    y[i] = s;
}
