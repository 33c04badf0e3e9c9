// The oracle, in double precision.
//@ launch approach_reference<<<ceil_div(n, 128), 128>>>(a, b, y, y_magnitude, n)

__global__ void approach_reference(const float* a, const float* b, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double p = a[i], q = b[i];
    for (int round = 0; round < 32; ++round) {
        double way = q - p;
        p = p + 0.125 * way;
        way = p - q;
        q = q + 0.0625 * way;
    }
    y[i] = p - q;
    y_magnitude[i] = 1.0;
}
