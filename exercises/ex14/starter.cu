// y = A x for a sparse matrix with eight entries per row: a thread per row.
// Flaw: a pragma keeps the loop from being unrolled. Each iteration loads an index, waits for it, loads the factor, and waits for that.
//@ let    block = 256
//@ launch multiply<<<ceil_div(rows, block), block>>>(column, value, x, y, rows)

__global__ void multiply(const int* column, const float* value, const float* x, float* y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    float sum = 0.0f;
    #pragma unroll 1
    for (int k = 0; k < 8; ++k) sum += value[k * rows + row] * x[column[k * rows + row]];
    y[row] = sum;
}
