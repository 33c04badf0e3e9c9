// y = A x for a sparse matrix with eight entries per row, a thread per row, for `kilo` times 1,024 rows.
// way 1: a turn of the loop for each entry. way 2: all indices first, then all that they name, then the sum.
//@ let    rows = 1024 * kilo + tail
//@ launch multiply<way><<<ceil_div(rows, 256), 256>>>(column, value, x, y, rows)

template <int way>
__global__ void multiply(const int* column, const float* value, const float* x, float* y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    float sum = 0.0f;
    if constexpr (way == 1) {
        #pragma unroll 1
        for (int k = 0; k < 8; ++k) sum += value[k * rows + row] * x[column[k * rows + row]];
    } else {
        int at[8];
        #pragma unroll
        for (int k = 0; k < 8; ++k) at[k] = column[k * rows + row];
        float factor[8];
        #pragma unroll
        for (int k = 0; k < 8; ++k) factor[k] = x[at[k]];
        #pragma unroll
        for (int k = 0; k < 8; ++k) sum += value[k * rows + row] * factor[k];
    }
    y[row] = sum;
}
