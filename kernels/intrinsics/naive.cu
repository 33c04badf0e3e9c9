// A wavelet, sin(x) exp(-|x|) / (1 + x^2), with the functions of the C library.
// Flaw: they are right to the last bit or two for every float there is, and three
// digits would do here for x below pi.
//@ let    block = 256
//@ launch wavelet<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void wavelet(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    y[i] = sinf(t) * expf(-fabsf(t)) / (1.0f + t * t);
}
