// The oracle: each number goes where as many are before it as are smaller, or equal and further left.
//@ launch sort_reference<<<ceil_div(32 * rows, 64), 64>>>(x, y, rows)

__global__ void sort_reference(const int* x, int* y, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 32 * rows) return;

    const int* row = x + i / 32 * 32;
    int own = i % 32, before = 0;
    for (int k = 0; k < 32; ++k)
        if (row[k] < row[own] || (row[k] == row[own] && k < own)) ++before;
    y[i / 32 * 32 + before] = row[own];
}
