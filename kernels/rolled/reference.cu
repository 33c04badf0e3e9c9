// The oracle, in double precision, by Newton's method; a rounding of m + ... is one of a number of at most |m| + 1.
//@ launch kepler_reference<<<ceil_div(n, 128), 128>>>(mean, eccentric, eccentric_magnitude, n)

__global__ void kepler_reference(const float* mean, double* eccentric, double* eccentric_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double m = mean[i];
    double t = m;
    for (int round = 0; round < 8; ++round) {       // five suffice from -3 to 3: the error is squared each time
        double off = t - 0.5 * sin(t) - m;
        double slope = 1.0 - 0.5 * cos(t);
        t = t - off / slope;
    }
    eccentric[i] = t;
    eccentric_magnitude[i] = fabs(m) + 1.0;
}
