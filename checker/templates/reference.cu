// The oracle: plain, in double precision, one step a line. It never shares code with what it judges.

__global__ void reference(const float* x, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double scaled = 3.0 * x[i];
        y[i] = scaled + 1.0;
        y_magnitude[i] = fabs(scaled) + 1.0;
    }
}

//@ launch reference<<<ceil_div(n, 256), 256>>>(x, y, y_magnitude, n)
