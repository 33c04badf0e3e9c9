// The oracle, in double precision. What __sinf promises is an absolute error: the magnitude is that of the factor of sin(x).
//@ launch wavelet_reference<<<ceil_div(n, 128), 128>>>(x, y, y_magnitude, n)

__global__ void wavelet_reference(const float* x, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double t = x[i];
    double envelope = exp(-fabs(t));
    double width = 1.0 + t * t;
    y[i] = envelope * sin(t) / width;
    y_magnitude[i] = envelope / width;
}
