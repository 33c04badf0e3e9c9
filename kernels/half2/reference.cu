// The oracle, in double precision: a term for each power, and the sum of their magnitudes.
//@ launch curve_reference<<<ceil_div(n, 128), 128>>>(x, y, y_magnitude, n)
#include <cuda_fp16.h>

__global__ void curve_reference(const __half* x, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    const double c[9] = {0.75, -0.5, 0.625, 0.25, -0.375, 0.875, -0.125, 0.5, -0.25};
    double t = __half2float(x[i]);
    double power = 1.0;
    double sum = 0.0;
    double magnitude = 0.0;
    for (int k = 0; k < 9; ++k) {
        double term = c[k] * power;
        sum += term;
        magnitude += fabs(term);
        power *= t;
    }
    y[i] = sum;
    y_magnitude[i] = magnitude;
}
