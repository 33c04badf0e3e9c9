// The oracle: every element where it stands.
//@ launch square_reference<<<ceil_div(n, 64), 64>>>(x, y, n)

__global__ void square_reference(const int* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int v = x[i] > 0 ? x[i] : 0;
    y[i] = v * v;
}
