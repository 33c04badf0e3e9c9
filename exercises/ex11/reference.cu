// The oracle, in double precision.
//@ launch smooth_reference<<<ceil_div(n, 128), 128>>>(x, y, y_magnitude, n)

__global__ void smooth_reference(const float* x, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double left = i > 0 ? x[i - 1] : x[0];
    double right = i + 1 < n ? x[i + 1] : x[n - 1];
    double middle = x[i];
    y[i] = (left + 2.0 * middle + right) / 4.0;
    y_magnitude[i] = (fabs(left) + 2.0 * fabs(middle) + fabs(right)) / 4.0;
}
