// Drops the last two terms.
//@ mutant wrong-result: the series ends at x^7, good to four digits at 1.5
//@ let    block = 256
//@ launch sine<<<ceil_div(n, block), block>>>(angle, y, n)

__global__ void sine(const float* angle, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float x = angle[i];
    float x2 = x * x;
    float p = -1.0f / 5040;
    p = p * x2 + 1.0f / 120;
    p = p * x2 - 1.0f / 6;
    y[i] = x + x * x2 * p;
}
