// The oracle: one thread a maximum, element after element.
//@ let    m = ceil_div(n, 256)
//@ launch block_max_reference<<<ceil_div(m, 64), 64>>>(x, largest, n, m)

__global__ void block_max_reference(const int* x, int* largest, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * 256, n);
    int best = x[j * 256];
    for (int i = j * 256; i < end; ++i) {
        if (x[i] > best) best = x[i];
    }

    largest[j] = best;
}
