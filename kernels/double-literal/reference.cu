// The oracle: the same six terms of the series, each written out, in double precision.
//@ launch sine_reference<<<ceil_div(n, 128), 128>>>(angle, y, y_magnitude, n)

__global__ void sine_reference(const float* angle, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double x = angle[i];
    double term = x;
    double sum = 0.0;
    double magnitude = 0.0;
    for (int k = 1; k <= 11; k += 2) {
        sum += term;
        magnitude += fabs(term);
        term *= -x * x / ((k + 1) * (k + 2));
    }

    y[i] = sum;
    y_magnitude[i] = magnitude;
}
