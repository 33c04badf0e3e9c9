// The oracle: both pieces by powers, in double precision, and one of them kept.
//@ launch curve_reference<<<ceil_div(n, 64), 64>>>(x, left, right, y, y_magnitude, n)

__global__ void curve_reference(
    const float* x, const float* left, const float* right, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double v = x[i];
    double power = 1.0;
    double sum = 0.0;
    double magnitude = 0.0;
    for (int k = 0; k < 16; ++k) {
        double c = v < 0.0 ? left[k] : right[k];
        double term = c * power;
        sum += term;
        magnitude += fabs(term);
        power *= v;
    }
    y[i] = sum;
    y_magnitude[i] = magnitude;
}
