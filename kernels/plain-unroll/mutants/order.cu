// Turns the second coordinate with the first one's new value.
//@ mutant wrong-result: both new values come of the old ones
//@ let    block = 256
//@ launch oscillate<<<ceil_div(n, block), block>>>(x, y, rounds, n)

__global__ void oscillate(const float* x, float* y, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float a = x[i];
    float b = 0.5f;
    #pragma unroll 16
    for (int round = 0; round < rounds; ++round) {
        a = 0.875f * a - 0.25f * b + 0.125f;
        b = 0.25f * a + 0.875f * b;
    }
    y[i] = a + b;
}
