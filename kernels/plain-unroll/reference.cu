// The oracle, in double precision. All constants are exact. Neither coordinate is
// ever larger than 3.
//@ launch oscillate_reference<<<ceil_div(n, 128), 128>>>(x, y, y_magnitude, rounds, n)

__global__ void oscillate_reference(const float* x, double* y, double* y_magnitude, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double a = x[i];
    double b = 0.5;
    for (int round = 0; round < rounds; ++round) {
        double turned = 0.875 * a - 0.25 * b;
        turned = turned + 0.125;
        double risen = 0.25 * a;
        risen = risen + 0.875 * b;
        a = turned;
        b = risen;
    }
    y[i] = a + b;
    y_magnitude[i] = 3.0;
}
