// With the intrinsic, whose error on this interval is allowed here, the body is short, and unrolling does no harm.
//@ let    block = 256
//@ launch kepler<<<ceil_div(n, block), block>>>(mean, eccentric, 0.5, n)

__global__ void kepler(const float* mean, float* eccentric, float e, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float m = mean[i];
    float t = m;
    #pragma unroll
    for (int round = 0; round < 48; ++round)
        t = m + e * __sinf(t);
    eccentric[i] = t;
}
