// Rows of Pascal's triangle in ten registers: every index is a number after unrolling.
//@ let    block = 128
//@ launch ways<<<ceil_div(n, block), block>>>(m, k, count, n)

__global__ void ways(const int* m, const int* k, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int chosen = min(k[i], m[i]);
    int row[10] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (int step = 0; step < m[i]; ++step) {
        #pragma unroll
        for (int j = 9; j > 0; --j) row[j] += row[j - 1];
    }
    int ways = 0;
    #pragma unroll
    for (int j = 0; j < 10; ++j) ways += j == chosen ? row[j] : 0;
    count[i] = ways;
}
