// The oracle, in double precision. All constants are exact in every type. No number
// is larger than 1.
//@ let    d = n * (bytes / 8)
//@ let    f = n * (bytes % 8 / 4)
//@ let    h = n * (bytes % 4 / 2)
//@ launch chains_reference<<<ceil_div(n, 128), 128>>>(doubles, floats, halves, double_out, double_out_magnitude, float_out, float_out_magnitude, half_out, half_out_magnitude, d, f, h, steps)
#include <cuda_fp16.h>

__device__ double chain(double x, int steps)
{
    for (int k = 0; k < steps; ++k) {
        double product = x * 0.875;
        x = product + 0.125;
    }
    return x;
}

__global__ void chains_reference(const double* doubles, const float* floats, const __half* halves,
                                 double* double_out, double* double_magnitude, double* float_out, double* float_magnitude,
                                 double* half_out, double* half_magnitude, int d, int f, int h, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < d) {
        double_out[i] = chain(doubles[i], steps);
        double_magnitude[i] = 1.0;
    }
    if (i < f) {
        float_out[i] = chain(floats[i], steps);
        float_magnitude[i] = 1.0;
    }
    if (i < h) {
        half_out[i] = chain(__half2float(halves[i]), steps);
        half_magnitude[i] = 1.0;
    }
}
