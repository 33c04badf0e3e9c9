// The oracle: one thread a sum, element after element.
//@ let    m = ceil_div(n, block)
//@ launch block_norms_reference<<<ceil_div(m, 64), 64>>>(x, norms, n, m, block)

__global__ void block_norms_reference(const int* x, int* norms, int n, int m, int block)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * block, n);
    int sum = 0;
    for (int i = j * block; i < end; ++i) {
        if (x[i] < 0) sum -= x[i];
        else          sum += x[i];
    }

    norms[j] = sum;
}
