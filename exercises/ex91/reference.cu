// The oracle, in double precision: every output from the samples themselves.
//@ launch filter_reference<<<ceil_div(n, 128), 128>>>(x, y, y_magnitude, n, samples)

__global__ void filter_reference(const float* x, double* y, double* y_magnitude, int n, int samples)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= n) return;

    const double weight[6] = {0.25, 0.5, -0.125, 0.0625, -0.375, 0.75};
    for (int t = 0; t < samples; ++t) {
        double sum = 0.0;
        double magnitude = 0.0;
        #pragma unroll
        for (int k = 0; k < 6; ++k) {
            if (t < k) continue;
            double product = weight[k] * x[(t - k) * n + channel];
            sum += product;
            magnitude += fabs(product);
        }
        y[t * n + channel] = sum;
        y_magnitude[t * n + channel] = magnitude;
    }
}
