// A sine from its Taylor series, with literals as a mathematician writes them.
// Flaw: 1.0 is a double, so every line widens p, adds on the double units and
// rounds back.
//@ let    block = 256
//@ launch sine<<<ceil_div(n, block), block>>>(angle, y, n)

__global__ void sine(const float* angle, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float x = angle[i];
    float x2 = x * x;
    float p = -1.0 / 39916800;
    p = p * x2 + 1.0 / 362880;
    p = p * x2 - 1.0 / 5040;
    p = p * x2 + 1.0 / 120;
    p = p * x2 - 1.0 / 6;
    y[i] = x + x * x2 * p;
}
