// The oracle: from the first coefficient up, in double precision.
//@ launch values_reference<<<ceil_div(n, 64), 64>>>(x, c, y, y_magnitude, n)

__global__ void values_reference(const float* x, const float* c, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double power = 1.0;
    double sum = 0.0;
    double magnitude = 0.0;
    for (int k = 0; k < 48; ++k) {
        double term = c[k] * power;
        sum += term;
        magnitude += fabs(term);
        power *= x[i];
    }
    y[i] = sum;
    y_magnitude[i] = magnitude;
}
