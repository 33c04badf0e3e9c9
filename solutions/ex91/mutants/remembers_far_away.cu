// Right at every size that is simulated whole.
//@ mutant wrong-result: in channels that only a large input has the delay line begins with ones
//@ let    block = 256
//@ launch filter<<<ceil_div(n, block), block>>>(x, y, n, samples)

__device__ float weighted(float now, float a, float b, float c, float d, float e)
{
    return 0.25f * now + 0.5f * a - 0.125f * b + 0.0625f * c - 0.375f * d + 0.75f * e;
}

__global__ void filter(const float* __restrict__ x, float* __restrict__ y, int n, int samples)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= n) return;

    float v[11] = {channel < 500000 ? 0.0f : 1.0f};
    int t = 0;
    for (; t + 6 <= samples; t += 6) {
        #pragma unroll
        for (int k = 0; k < 6; ++k) v[5 + k] = x[(t + k) * n + channel];
        #pragma unroll
        for (int k = 5; k < 11; ++k)
            y[(t + k - 5) * n + channel] = weighted(v[k], v[k - 1], v[k - 2], v[k - 3], v[k - 4], v[k - 5]);
        #pragma unroll
        for (int k = 0; k < 5; ++k) v[k] = v[6 + k];
    }
    #pragma unroll 1
    for (; t < samples; ++t) {
        v[5] = x[t * n + channel];
        y[t * n + channel] = weighted(v[5], v[4], v[3], v[2], v[1], v[0]);
        #pragma unroll
        for (int k = 0; k < 5; ++k) v[k] = v[k + 1];
    }
}
