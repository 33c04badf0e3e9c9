// The oracle, in double precision. The bracket cancels where x is negative: the magnitude is that of its parts.
//@ launch gelu_reference<<<ceil_div(n, 128), 128>>>(x, y, y_magnitude, n)

__global__ void gelu_reference(const float* x, double* y, double* y_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double t = x[i];
    double cube = t * t * t;
    double inner = 0.79788456 * (t + 0.044715 * cube);
    double bent = tanh(inner);
    y[i] = 0.5 * t * (1.0 + bent);
    y_magnitude[i] = 0.5 * fabs(t) * (1.0 + fabs(bent));
}
