// The same benchmark with a result that might be used: what is stored depends on t
// under a condition that is never true, which the compiler cannot know. So it has
// to compute t, and the chain stays. That costs a comparison, no memory traffic.
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
    if (t > 1000.0f) k = -1;
    steps[i] = k;
}
