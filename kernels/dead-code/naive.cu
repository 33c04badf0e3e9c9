// A benchmark of multiply-adds: every thread runs a chain of 256 and reports how
// many steps it ran.
// Flaw: the chain's result is never used, so the compiler removes the chain. What
// is timed is a kernel that stores 256.
//@ let    block = 256
//@ launch chain<<<ceil_div(n, block), block>>>(0.875, 0.125, x, steps, n)

__global__ void chain(float b, float c, const float* x, int* steps, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    int k = 0;
    #pragma unroll 16
    for (; k < 256; ++k) t = t * b + c;

    steps[i] = k;
}
