// Eight rows into eight variables, then the additions; an ordinary loop for what is left.
//@ let    block = 64
//@ launch column_sums<<<ceil_div(cols, block), block>>>(m, sums, rows, cols)

__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    float sum = 0.0f;
    int r = 0;
    const float* column = m + c;
    for (; r + 8 <= rows; r += 8) {
        float a0 = column[0];
        float a1 = column[cols];
        float a2 = column[2 * (long long)cols];
        float a3 = column[3 * (long long)cols];
        float a4 = column[4 * (long long)cols];
        float a5 = column[5 * (long long)cols];
        float a6 = column[6 * (long long)cols];
        float a7 = column[7 * (long long)cols];
        sum += a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7;
        column += 8 * (long long)cols;
    }
    for (; r < rows; ++r) {
        sum += *column;
        column += cols;
    }
    sums[c] = sum;
}
