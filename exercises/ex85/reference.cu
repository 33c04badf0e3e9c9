// The oracle: one thread a norm, in double precision, whose exponent has room for the square of any float.
//@ let    m = ceil_div(n, 256)
//@ launch norm_reference<<<ceil_div(m, 64), 64>>>(x, norms, n, m)

__global__ void norm_reference(const float* x, double* norms, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * 256, n);
    double sum = 0.0;
    for (int i = j * 256; i < end; ++i) {
        double v = x[i];
        sum += v * v;
    }

    norms[j] = sqrt(sum);
}
