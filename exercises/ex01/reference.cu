// The oracle, in double precision. A step moves t between where it was and 20, so |t| never exceeds the larger of the
// two, and that is the magnitude the rounding errors are measured by.
//@ launch cool_reference<<<ceil_div(n, 128), 128>>>(32, before, after, after_magnitude, n)

__global__ void cool_reference(int steps, const float* before, double* after, double* after_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double t = before[i];
    for (int k = 0; k < steps; ++k) {
        double gap = 20.0 - t;
        t = t + 0.1 * gap;
    }

    after[i] = t;
    after_magnitude[i] = fmax(fabs((double)before[i]), 20.0);
}
