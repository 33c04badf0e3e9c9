// Vector add, one element per thread.
// Flaw: three 64-bit addresses are computed for one addition; the bookkeeping is
// most of the kernel.
//@ let    block = 256
//@ launch add<<<ceil_div(n, block), block>>>(a, b, c, n)

__global__ void add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
