// The oracle: one thread a sum, element after element.
//@ let    m = ceil_div(n, block)
//@ launch block_sums_reference<<<ceil_div(m, 64), 64>>>(x, sums, n, m, block)

__global__ void block_sums_reference(const int* x, int* sums, int n, int m, int block)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * block, n);
    int sum = 0;
    for (int i = j * block; i < end; ++i) sum += x[i];

    sums[j] = sum;
}
