// The oracle, in double precision.
//@ launch line_reference<<<ceil_div(n, 128), 128>>>(x, y, y_magnitude, n)

__global__ void line_reference(const float* x, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    y[i] = 2.0 * x[i] + 1.0;
    y_magnitude[i] = 2.0 * fabs(x[i]) + 1.0;
}
