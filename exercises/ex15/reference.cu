// The oracle.
//@ launch largest_reference<<<ceil_div(n, 128), 128>>>(x, y, n)

__global__ void largest_reference(const float* x, double* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double most = x[i];
    if (i > 0 && x[i - 1] > most) most = x[i - 1];
    if (i + 1 < n && x[i + 1] > most) most = x[i + 1];
    y[i] = most;
}
