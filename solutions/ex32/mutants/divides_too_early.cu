// Divides before it multiplies.
//@ mutant wrong-result: a quotient of two neighbours is no whole number
//@ let    block = 128
//@ launch ways<<<ceil_div(n, block), block>>>(m, k, count, n)

__global__ void ways(const int* m, const int* k, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int row = m[i];
    int chosen = min(k[i], row);
    int product = 1;
    for (int j = 1; j <= chosen; ++j)
        product = product * ((row - chosen + j) / j);
    count[i] = product;
}
