// The oracle: the two elements are fetched from x directly, in double precision. Beyond the end there are zeros.
//@ launch turn_reference<<<ceil_div(n, 64), 64>>>(x, y, y_magnitude, n)

__device__ double turned(const float* x, int first, int lane, int n)
{
    int i = first + 31 - lane;
    if (i < n) return x[i];
    return 0.0;
}

__global__ void turn_reference(const float* x, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int lane = i % 32;
    int first = i - lane;
    double own = turned(x, first, lane, n);
    double before = own;
    if (lane > 0) before = turned(x, first, lane - 1, n);

    y[i] = (before + own) / 2;
    y_magnitude[i] = (fabs(before) + fabs(own)) / 2;
}
