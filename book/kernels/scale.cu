// One thread per element: the smallest kernel there is.
//@ size   n = 1048576
//@ in     x: f32[n] = uniform(-1, 1)
//@ out    y: f32[n]
//@ let    block = 256
//@ launch scale<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void scale(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
