// The oracle: one thread a sum, element after element, in double precision.
//@ let    m = ceil_div(n, 256)
//@ launch block_sums_reference<<<ceil_div(m, 64), 64>>>(x, sums, sums_magnitude, n, m)

__global__ void block_sums_reference(const float* x, double* sums, double* sums_magnitude, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * 256, n);
    double sum = 0.0;
    double magnitude = 0.0;
    for (int i = j * 256; i < end; ++i) {
        double value = x[i];
        sum += value;
        magnitude += fabs(value);
    }

    sums[j] = sum;
    sums_magnitude[j] = magnitude;
}
