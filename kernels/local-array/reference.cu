// The oracle: x[k] written to a plain history, nothing reused, nothing overwritten.
//@ launch add_reference<<<1, min(n, 1024)>>>(a, b)
//@ launch lagged_reference<<<ceil_div(n, 128), 128>>>(a, last, n)

__global__ void add_reference(const int* a, int* b)
{
    int i = threadIdx.x;
    if (i % 2 == 0) b[i] = a[i];
    else            b[i] = a[i] + 1;
}

__global__ void lagged_reference(const int* a, unsigned* last, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned x[8 + 64];
    for (int k = 0; k < 8; ++k) x[k] = a[i] + k * 0x9e3779b9u;
    for (int k = 8; k < 8 + 64; ++k) x[k] = x[k - 8] + x[k - 3];

    last[i] = x[8 + 64 - 1];
}
