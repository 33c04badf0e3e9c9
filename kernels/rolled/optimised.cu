// A loop that stays rolled. The counter, the comparison and the jump are three
// instructions beside a sine.
//@ let    block = 256
//@ launch kepler<<<ceil_div(n, block), block>>>(mean, eccentric, 0.5, n)

__global__ void kepler(const float* mean, float* eccentric, float e, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float m = mean[i];
    float t = m;
    #pragma unroll 1
    for (int round = 0; round < 48; ++round)
        t = m + e * sinf(t);
    eccentric[i] = t;
}
