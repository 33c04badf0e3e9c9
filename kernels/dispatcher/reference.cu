// The oracle, in integers: one thread for each sum.
//@ let    sums_n = ceil_div(n, block)
//@ launch totals_reference<<<ceil_div(sums_n, 128), 128>>>(x, sums, n, block, sums_n)

__global__ void totals_reference(const int* x, int* sums, int n, int block, int sums_n)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= sums_n) return;

    int sum = 0;
    for (int i = b * block; i < b * block + block && i < n; ++i)
        sum += x[i];
    sums[b] = sum;
}
