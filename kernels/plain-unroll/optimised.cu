// Sixteen steps are written out, and one iteration of the loop does them all. The
// compiler adds a second, short loop for the remaining steps.
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
        float turned = 0.875f * a - 0.25f * b + 0.125f;
        b = 0.25f * a + 0.875f * b;
        a = turned;
    }
    y[i] = a + b;
}
