// The oracle, in double precision.
//@ launch add_reference<<<ceil_div(n, 128), 128>>>(a, b, c, n)

__global__ void add_reference(const float* a, const float* b, double* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double x = a[i];
    double y = b[i];
    c[i] = x + y;
}
