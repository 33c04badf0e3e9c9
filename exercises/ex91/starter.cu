// A filter over time for n channels side by side: each output is a weighted sum of
// the last six samples of its channel.
// Flaw: the loop stays a loop. The six samples move down a row of registers in
// every iteration, one load is in flight at a time, and there is a loop counter.
//@ let    block = 256
//@ launch filter<<<ceil_div(n, block), block>>>(x, y, n, samples)

__global__ void filter(const float* __restrict__ x, float* __restrict__ y, int n, int samples)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= n) return;

    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f, e = 0.0f;
    #pragma unroll 1
    for (int t = 0; t < samples; ++t) {
        float now = x[t * n + channel];
        y[t * n + channel] = 0.25f * now + 0.5f * a - 0.125f * b + 0.0625f * c - 0.375f * d + 0.75f * e;
        e = d;
        d = c;
        c = b;
        b = a;
        a = now;
    }
}
