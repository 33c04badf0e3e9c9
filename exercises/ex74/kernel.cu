// Sums of the columns of a matrix, a thread a column.
// Flaw: one load, wait, add; one load, wait, add. A thread has four bytes in flight, and there are few threads.
//@ let    block = 128
//@ launch column_sums<<<ceil_div(cols, block), block>>>(m, sums, rows, cols)

__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    float sum = 0.0f;
    #pragma unroll 1
    for (int r = 0; r < rows; ++r)
        sum += m[(long long)r * cols + c];

    sums[c] = sum;
}
