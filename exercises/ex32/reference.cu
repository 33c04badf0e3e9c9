// The oracle: a row of Pascal's triangle after the other.
//@ launch ways_reference<<<ceil_div(n, 128), 128>>>(m, k, count, n)

__global__ void ways_reference(const int* m, const int* k, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int row[16];
    for (int j = 0; j < 16; ++j) row[j] = 0;
    row[0] = 1;
    for (int step = 0; step < m[i]; ++step)
        for (int j = 15; j > 0; --j) row[j] = row[j] + row[j - 1];
    count[i] = row[min(k[i], m[i])];
}
