// The oracle: a thread per sum.
//@ launch add_reference<<<ceil_div(32 * tiles / per, 64), 64>>>(x, sums, sums_magnitude, per, 32 * tiles / per)

__global__ void add_reference(const float* x, double* sums, double* sums_magnitude, int per, int blocks)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;

    double sum = 0.0, magnitude = 0.0;
    for (int k = 0; k < 256 * per; ++k) {
        double v = x[size_t(b) * 256 * per + k];
        sum += v;
        magnitude += fabs(v);
    }
    sums[b] = sum;
    sums_magnitude[b] = magnitude;
}
