// The oracle: one thread a result, element after element. Only a larger element displaces an earlier one.
//@ let    m = ceil_div(n, 256)
//@ launch first_largest_reference<<<ceil_div(m, 64), 64>>>(x, first, n, m)

__global__ void first_largest_reference(const int* x, int* first, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * 256, n);
    int best = j * 256;
    for (int i = j * 256; i < end; ++i) {
        if (x[i] > x[best]) best = i;
    }

    first[j] = best;
}
