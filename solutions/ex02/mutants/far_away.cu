// Right at every size that is simulated whole, and one too much in the second half of the `time` size.
//@ mutant wrong-result: from the 33,554,432nd element on one is added
//@ let    block = 256
//@ launch line<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void line(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i] + 1.0f + (i >> 25);
}
