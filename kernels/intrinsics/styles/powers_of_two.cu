// Makes the exponential of a power of two by hand.
//@ let    block = 256
//@ launch wavelet<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void wavelet(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    y[i] = __fdividef(__sinf(t) * exp2f(-1.442695041f * fabsf(t)), 1.0f + t * t);
}
