// The oracle: one thread a range, element after element.
//@ let    m = ceil_div(n, block)
//@ launch block_ranges_reference<<<ceil_div(m, 64), 64>>>(x, ranges, n, m, block)

__global__ void block_ranges_reference(const int* x, int* ranges, int n, int m, int block)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * block, n);
    int least = x[j * block];
    int most = x[j * block];
    for (int i = j * block; i < end; ++i) {
        if (x[i] < least) least = x[i];
        if (x[i] > most) most = x[i];
    }

    ranges[j] = most - least;
}
