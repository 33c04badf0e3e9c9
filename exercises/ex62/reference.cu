// The oracle: one thread for 256 elements, one after the other, in double precision.
//@ let    m = ceil_div(n, 256)
//@ launch running_reference<<<ceil_div(m, 64), 64>>>(x, y, y_magnitude, n, m)

__global__ void running_reference(const float* x, double* y, double* y_magnitude, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * 256, n);
    double total = 0.0;
    double magnitude = 0.0;
    for (int i = j * 256; i < end; ++i) {
        double v = x[i];
        total += v;
        magnitude += fabs(v);
        y[i] = total;
        y_magnitude[i] = magnitude * min(i - j * 256, 32) / 32.0;   // no more roundings than elements before it
    }
}
