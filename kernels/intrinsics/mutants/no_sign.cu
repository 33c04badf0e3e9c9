// Forgets the magnitude in the exponent.
//@ mutant wrong-result: exp(-x) grows where x is negative
//@ let    block = 256
//@ launch wavelet<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void wavelet(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    y[i] = __fdividef(__sinf(t) * __expf(-t), 1.0f + t * t);
}
