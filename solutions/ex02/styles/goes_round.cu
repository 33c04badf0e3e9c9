// A grid of a fixed size goes round until all elements are done.
//@ let    block = 128
//@ launch line<<<min(ceil_div(n, block), 4 * sms), block>>>(x, y, n)

__global__ void line(const float* x, float* y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2.0f * x[i] + 1.0f;
}
