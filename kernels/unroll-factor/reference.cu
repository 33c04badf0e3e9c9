// The oracle, in double precision. All constants are exact. Neither coordinate is
// ever larger than 3.
//@ launch turns_reference<<<1, threads>>>(x, y, y_magnitude, iterations)

__global__ void turns_reference(const float* x, double* y, double* y_magnitude, int iterations)
{
    double a = x[threadIdx.x];
    double b = 0.5;
    for (int k = 0; k < iterations; ++k) {
        double turned = 0.875 * a - 0.25 * b;
        turned = turned + 0.125;
        double risen = 0.25 * a;
        risen = risen + 0.875 * b;
        a = turned;
        b = risen;
    }
    y[threadIdx.x] = a + b;
    y_magnitude[threadIdx.x] = 3.0;
}
