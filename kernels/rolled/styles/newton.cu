// Fewer rounds of a better method: Newton's is there after five.
//@ let    block = 256
//@ launch kepler<<<ceil_div(n, block), block>>>(mean, eccentric, 0.5, n)

__global__ void kepler(const float* mean, float* eccentric, float e, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float m = mean[i];
    float t = m;
    #pragma unroll 1
    for (int round = 0; round < 6; ++round) {
        float sine, cosine;
        sincosf(t, &sine, &cosine);
        t -= (t - e * sine - m) / (1.0f - e * cosine);
    }
    eccentric[i] = t;
}
