// Twelve turns, and pointers in place of products.
//@ let    block = 256
//@ launch filter<<<ceil_div(n, block), block>>>(x, y, n, samples)

__global__ void filter(const float* __restrict__ x, float* __restrict__ y, int n, int samples)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= n) return;

    x += channel;
    y += channel;
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f, e = 0.0f;
    #pragma unroll 12
    for (int t = 0; t < samples; ++t, x += n, y += n) {
        float now = *x;
        *y = fmaf(0.25f, now, fmaf(0.5f, a, fmaf(-0.125f, b, fmaf(0.0625f, c, fmaf(-0.375f, d, 0.75f * e)))));
        e = d;
        d = c;
        c = b;
        b = a;
        a = now;
    }
}
