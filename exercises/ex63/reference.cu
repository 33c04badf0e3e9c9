// The oracle: a thread for every 256 elements, in double precision, in two passes.
//@ let    m = ceil_div(n, 256)
//@ launch spread_reference<<<ceil_div(m, 64), 64>>>(x, mean, mean_magnitude, variance, variance_magnitude, n, m)

__global__ void spread_reference(const float* x, double* mean, double* mean_magnitude, double* variance, double* variance_magnitude,
                                 int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int first = 256 * j;
    int count = min(256, n - first);
    double sum = 0.0;
    double sizes = 0.0;
    for (int k = 0; k < count; ++k) {
        sum += x[first + k];
        sizes += fabs((double)x[first + k]);
    }
    double centre = sum / count;
    double typical = sizes / count;

    double squares = 0.0;
    double magnitude = 0.0;
    for (int k = 0; k < count; ++k) {
        double d = x[first + k] - centre;
        squares += d * d;
        magnitude += d * d + 2.0 * fabs(d) * typical;
    }
    mean[j] = centre;
    mean_magnitude[j] = typical;
    variance[j] = squares / count;
    // Where all elements are alike only the square of the mean's error is left: (10 u typical)^2, of which 24 u is taken out.
    variance_magnitude[j] = magnitude / count + 5.0 * 0x1p-24 * typical * typical;
}
