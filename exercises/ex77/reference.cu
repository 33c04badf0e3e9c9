// The oracle: one average after the other, in double precision.
//@ launch averages_reference<<<ceil_div(n, 64), 64>>>(x, y, y_magnitude, rounds, n)

__global__ void averages_reference(const float* x, double* y, double* y_magnitude, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double sum = 0.0;
    double magnitude = 0.0;
    for (int j = 0; j < 32; ++j) {
        double v = j / 64.0;
        double size = v;
        for (int r = 0; r < rounds; ++r) {
            double next = x[(long long)r * n + i];
            v = v * (0.5 - j / 256.0) + next;
            size = size * (0.5 - j / 256.0) + fabs(next);
        }
        sum += v;
        magnitude += size;
    }
    y[i] = sum;
    y_magnitude[i] = magnitude;
}
