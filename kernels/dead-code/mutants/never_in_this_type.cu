// Hides the store behind a condition that the compiler can decide.
//@ mutant goal: k is 256 after the loop, which the compiler knows, so the store and the chain are unreachable
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
    if (k < 256) steps[i] = t;
    steps[i] = k;
}
