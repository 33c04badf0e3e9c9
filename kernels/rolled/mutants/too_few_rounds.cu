// Shortens the code by doing less.
//@ mutant wrong-result: after 12 rounds the last digits are not there
//@ let    block = 256
//@ launch kepler<<<ceil_div(n, block), block>>>(mean, eccentric, 0.5, n)

__global__ void kepler(const float* mean, float* eccentric, float e, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float m = mean[i];
    float t = m;
    #pragma unroll
    for (int round = 0; round < 12; ++round)
        t = m + e * sinf(t);
    eccentric[i] = t;
}
