// The oracle, in double precision. All constants are exact in every floating-point type.
//@ launch branch_reference<<<ceil_div(n, 128), 128>>>(kind, x, y, y_magnitude, cure, steps, n)

__global__ void branch_reference(const int* kind, const float* x, double* y, double* y_magnitude, int cure, int steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int side = kind[cure == 4 ? i - i % 32 : i];
    double v = x[i];
    for (int k = 0; k < steps; ++k) {
        double product = v * (side ? 0.75 : 0.875);
        v = product + (side ? -0.25 : 0.125);
    }
    for (int k = 0; k < steps; ++k) {
        double product = v * 0.875;
        v = product + 0.0625;
    }
    y[i] = v;
    y_magnitude[i] = 1.0;
}
