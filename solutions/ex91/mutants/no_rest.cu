// Five turns by hand, and no loop for the rest.
//@ mutant wrong-result: the last samples of a length that is no multiple of 5 have no output
//@ let    block = 256
//@ launch filter<<<ceil_div(n, block), block>>>(x, y, n, samples)

__global__ void filter(const float* __restrict__ x, float* __restrict__ y, int n, int samples)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= n) return;

    float v[10] = {};
    for (int t = 0; t + 5 <= samples; t += 5) {
        #pragma unroll
        for (int k = 0; k < 5; ++k) v[5 + k] = x[(t + k) * n + channel];
        #pragma unroll
        for (int k = 5; k < 10; ++k)
            y[(t + k - 5) * n + channel] = 0.25f * v[k] + 0.5f * v[k - 1] - 0.125f * v[k - 2] + 0.0625f * v[k - 3] - 0.375f * v[k - 4] + 0.75f * v[k - 5];
        #pragma unroll
        for (int k = 0; k < 5; ++k) v[k] = v[5 + k];
    }
}
