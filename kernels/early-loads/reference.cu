// The oracle, in double precision.
//@ let    rows = 1024 * kilo + tail
//@ launch multiply_reference<<<ceil_div(rows, 128), 128>>>(column, value, x, y, y_magnitude, rows)

__global__ void multiply_reference(const int* column, const float* value, const float* x, double* y, double* y_magnitude,
                                   int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    double sum = 0.0, magnitude = 0.0;
    for (int k = 0; k < 8; ++k) {
        double product = double(value[k * rows + row]) * double(x[column[k * rows + row]]);
        sum += product;
        magnitude += fabs(product);
    }
    y[row] = sum;
    y_magnitude[row] = magnitude;
}
