// The oracle, in double precision.
//@ launch tone_reference<<<ceil_div(n, 128), 128>>>(x, v, n)

__global__ void tone_reference(const float* x, double* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double t = x[i];
    if (t < 0.0) t = 0.0;
    if (t > 1.0) t = 1.0;
    double square = t * t;
    double cube = square * t;
    double smooth = 3.0 * square - 2.0 * cube;
    v[i] = 0.25 + 0.5 * smooth;
}
