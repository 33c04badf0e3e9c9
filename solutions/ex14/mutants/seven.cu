// Adds seven.
//@ mutant wrong-result: a row has eight entries
//@ let    block = 256
//@ launch multiply<<<ceil_div(rows, block), block>>>(column, value, x, y, rows)

__global__ void multiply(const int* column, const float* value, const float* x, float* y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    int at[8];
    #pragma unroll
    for (int k = 0; k < 8; ++k) at[k] = column[k * rows + row];

    float factor[8];
    #pragma unroll
    for (int k = 0; k < 8; ++k) factor[k] = x[at[k]];

    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 7; ++k) sum += value[k * rows + row] * factor[k];
    y[row] = sum;
}
