// The oracle, in double precision. All constants are exact in every floating-point type.
//@ launch operands_reference<<<1, threads>>>(form, iterations, start, end, end_magnitude)

__global__ void operands_reference(int form, int iterations, const float* start, double* end, double* end_magnitude)
{
    bool square = form == 1 || form == 4;
    double x = start[threadIdx.x];
    for (int k = 0; k < iterations; ++k) {
        double product = x * (square ? x : 0.875);
        x = product + (square ? -0.5 : 0.125);
    }
    end[threadIdx.x] = x;
    end_magnitude[threadIdx.x] = 1.0;
}
