// Asks for one element too many.
//@ mutant out-of-bounds: there is no element n
//@ let    block = 256
//@ launch line<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void line(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) y[i] = 2.0f * x[i] + 1.0f;
}
