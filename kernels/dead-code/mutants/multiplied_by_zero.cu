// Multiplies the result by an integer zero.
//@ mutant goal: whatever an integer is, times 0 it is 0, and the chain is dead again
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

    // Inputs lie in (-2, 2) and each step pulls them towards 1.
    k += 0 * (int)t;
    steps[i] = k;
}
