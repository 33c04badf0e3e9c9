// The oracle: one thread per search.
//@ launch tries_reference<<<ceil_div(n, 64), 64>>>(x, y, n)

__global__ void tries_reference(const unsigned* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = x[i];
    int tries = 0;
    bool found = false;
    while (!found) {
        for (int round = 0; round < 2; ++round) {
            unsigned a = s ^ (s << 13);
            unsigned b = a ^ (a >> 17);
            s = b ^ (b << 5);
        }
        tries += 1;
        if (s % 64 == 0) found = true;
    }
    y[i] = tries;
}
