// Launches one block too few.
//@ mutant wrong-result: off by one block, (n - 1) / block leaves the last one out
//@ let    block = 256
//@ launch sine<<<max((n - 1) / block, 1), block>>>(angle, y, n)

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
