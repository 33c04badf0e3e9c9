// The oracle, in double precision.
//@ launch scale_reference<<<ceil_div(n, 128), 128>>>(x, y, y_magnitude, n)

__global__ void scale_reference(const float* x, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double twice = 2.0 * x[i];
    y[i] = twice + 1.0;
    y_magnitude[i] = fabs(twice) + 1.0;
}
