// The oracle: the sum of c[k] x^k with the powers built up from below, in double precision. The coefficients are the
// floats that the kernels use.
//@ launch calibrate_reference<<<ceil_div(n, 128), 128>>>(x, y, y_magnitude, n)

__constant__ float coefficient[16] = {
    0.91f, -0.42f, 0.77f, 0.35f, -0.63f, 0.58f, -0.29f, 0.84f, 0.11f, -0.95f, 0.46f, 0.23f, -0.71f, 0.67f, 0.39f, -0.88f,
};

__global__ void calibrate_reference(const float* x, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double t = x[i];
    double power = 1.0;
    double sum = 0.0;
    double magnitude = 0.0;
    for (int k = 0; k < 16; ++k) {
        double term = coefficient[k] * power;
        sum += term;
        magnitude += fabs(term);
        power *= t;
    }

    y[i] = sum;
    y_magnitude[i] = magnitude;
}
