// The oracle, in double precision. 0.875 and 0.125 are exact in every floating-point type.
//@ launch chains_reference<<<1, threads>>>(ilp, iterations, start, end, end_magnitude)

__global__ void chains_reference(int ilp, int iterations, const float* start, double* end, double* end_magnitude)
{
    for (int j = 0; j < ilp; ++j) {
        int i = j * blockDim.x + threadIdx.x;
        double x = start[i];
        double magnitude = fmax(fabs(x), 1.0);
        for (int k = 0; k < iterations; ++k) {
            double product = x * 0.875;
            x = product + 0.125;
        }
        end[i] = x;
        end_magnitude[i] = magnitude;
    }
}
