// The oracle, in double precision. 0.875 and 0.125 are exact in every floating-point type.
//@ launch waves_reference<<<blocks, threads>>>(iterations, start, end, end_magnitude)

__global__ void waves_reference(int iterations, const float* start, double* end, double* end_magnitude)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double x = start[i];
    double magnitude = fmax(fabs(x), 1.0);
    for (int k = 0; k < iterations; ++k) {
        double product = x * 0.875;
        x = product + 0.125;
    }
    end[i] = x;
    end_magnitude[i] = magnitude;
}
