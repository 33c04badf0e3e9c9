// Replaces the sine and keeps the division.
//@ mutant goal: the division still checks its operands and calls a slow path
//@ let    block = 256
//@ launch wavelet<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void wavelet(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    y[i] = __sinf(t) * expf(-fabsf(t)) / (1.0f + t * t);
}
