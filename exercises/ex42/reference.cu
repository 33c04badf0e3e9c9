// The oracle: one thread a sample.
//@ launch filter_reference<<<ceil_div(n, 64), 64>>>(x, marked, y, n)

__global__ void filter_reference(const unsigned* x, const int* marked, unsigned* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = x[i];
    if (marked[i] != 7) {
        y[i] = s >> 1;
        return;
    }
    for (int left = 48; left > 0; --left) {
        unsigned a = s ^ (s << 13);
        unsigned b = a ^ (a >> 17);
        s = b ^ (b << 5);
    }
    y[i] = s;
}
