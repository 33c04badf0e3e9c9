// The oracle, in double precision.
//@ launch column_sums_reference<<<ceil_div(cols, 64), 64>>>(m, sums, sums_magnitude, rows, cols)

__global__ void column_sums_reference(const float* m, double* sums, double* sums_magnitude, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    double sum = 0.0;
    double magnitude = 0.0;
    for (int r = 0; r < rows; ++r) {
        double value = m[(long long)r * cols + c];
        sum += value;
        magnitude += fabs(value);
    }

    sums[c] = sum;
    sums_magnitude[c] = magnitude;
}
