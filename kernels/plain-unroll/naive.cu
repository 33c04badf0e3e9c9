// A point on a damped oscillation, after `rounds` steps: it turns, shrinks, and is
// pushed a little.
// Flaw: a step is five instructions of arithmetic, and the loop adds four: a
// counter, a comparison, a move and a jump.
//@ let    block = 256
//@ launch oscillate<<<ceil_div(n, block), block>>>(x, y, rounds, n)

__global__ void oscillate(const float* x, float* y, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float a = x[i];
    float b = 0.5f;
    #pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        float turned = 0.875f * a - 0.25f * b + 0.125f;
        b = 0.25f * a + 0.875f * b;
        a = turned;
    }
    y[i] = a + b;
}
