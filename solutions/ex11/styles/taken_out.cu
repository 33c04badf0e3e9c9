// The path is gone.
//@ let    block = 256
//@ launch smooth<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void smooth(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float ends = x[max(i - 1, 0)] + x[min(i + 1, n - 1)];
    y[i] = 0.5f * x[i] + 0.25f * ends;
}
