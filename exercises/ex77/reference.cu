// The oracle: a step of all averages after the other, in double precision.
//@ launch averages_reference<<<ceil_div(n, 64), 64>>>(x, y, y_magnitude, rounds, n)

__global__ void averages_reference(const float* x, double* y, double* y_magnitude, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double v[32], size[32];
    #pragma unroll
    for (int j = 0; j < 32; ++j) v[j] = size[j] = j / 64.0;

    #pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        double next = x[(long long)r * n + i];
        #pragma unroll
        for (int j = 0; j < 32; ++j) {
            v[j] = v[j] * (0.5 - j / 256.0) + next;
            size[j] = size[j] * (0.5 - j / 256.0) + fabs(next);
        }
    }

    double sum = 0.0;
    double magnitude = 0.0;
    #pragma unroll
    for (int j = 0; j < 32; ++j) {
        sum += v[j];
        magnitude += size[j];
    }
    y[i] = sum;
    y_magnitude[i] = magnitude;
}
