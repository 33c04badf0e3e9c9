// The oracle: one average after the other, in double precision.
//@ launch averages_reference<<<blocks, 256>>>(x, y, y_magnitude, values, rounds)

__global__ void averages_reference(const float* x, double* y, double* y_magnitude, int values, int rounds)
{
    double sum = 0.0;
    double magnitude = 0.0;
    for (int j = 0; j < values; ++j) {
        double v = 1.0 - j / 64.0;
        double size = fabs(v);
        for (int r = 0; r < rounds; ++r) {
            double next = x[size_t(blockIdx.x) * 256 * rounds + 256 * r + threadIdx.x];
            v = v * (0.5 - j / 256.0) + next;
            size = size * (0.5 - j / 256.0) + fabs(next);
        }
        sum += v;
        magnitude += size;
    }
    y[256 * blockIdx.x + threadIdx.x] = sum;
    y_magnitude[256 * blockIdx.x + threadIdx.x] = magnitude;
}
