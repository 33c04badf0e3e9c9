// Asks with the number in the block.
//@ mutant out-of-bounds: threadIdx.x is below n in the last block, too
//@ let    block = 256
//@ launch line<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void line(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < n) y[i] = 2.0f * x[i] + 1.0f;
}
