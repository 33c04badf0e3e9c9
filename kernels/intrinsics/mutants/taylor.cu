// Knows a sine by heart: three terms of its series.
//@ mutant wrong-result: good near 0, and not at 3
//@ let    block = 256
//@ launch wavelet<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void wavelet(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    y[i] = __fdividef(t * (1.0f - t * t * (1.0f / 6) + t * t * t * t * (1.0f / 120)) * __expf(-fabsf(t)), 1.0f + t * t);
}
