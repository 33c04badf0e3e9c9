// Writes four steps out by hand, and forgets the rest.
//@ mutant wrong-result: up to three steps are missing
//@ let    block = 256
//@ launch oscillate<<<ceil_div(n, block), block>>>(x, y, rounds, n)

__device__ void step(float& a, float& b)
{
    float turned = 0.875f * a - 0.25f * b + 0.125f;
    b = 0.25f * a + 0.875f * b;
    a = turned;
}

__global__ void oscillate(const float* x, float* y, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float a = x[i];
    float b = 0.5f;
    int round = 0;
    #pragma unroll 1
    for (; round + 4 <= rounds; round += 4) {
        step(a, b);
        step(a, b);
        step(a, b);
        step(a, b);
    }
    y[i] = a + b;
}
