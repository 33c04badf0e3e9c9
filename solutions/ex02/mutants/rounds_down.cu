// Launches no block that is not full.
//@ mutant wrong-result: the elements behind the last full block are left out
//@ let    block = 256
//@ launch line<<<max(n / block, 1), block>>>(x, y, n)

__global__ void line(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i] + 1.0f;
}
