// A sine from its Taylor series, in single precision: every literal ends in f, and
// each line is one FFMA.
//@ let    block = 256
//@ launch sine<<<ceil_div(n, block), block>>>(angle, y, n)

__global__ void sine(const float* angle, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float x = angle[i];
    float x2 = x * x;
    float p = -1.0f / 39916800;
    p = p * x2 + 1.0f / 362880;
    p = p * x2 - 1.0f / 5040;
    p = p * x2 + 1.0f / 120;
    p = p * x2 - 1.0f / 6;
    y[i] = x + x * x2 * p;
}
