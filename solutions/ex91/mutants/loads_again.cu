// Loads all six samples in every turn.
//@ mutant goal: six loads for each sample
//@ let    block = 256
//@ launch filter<<<ceil_div(n, block), block>>>(x, y, n, samples)

__global__ void filter(const float* __restrict__ x, float* __restrict__ y, int n, int samples)
{
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= n) return;

    const float weight[6] = {0.25f, 0.5f, -0.125f, 0.0625f, -0.375f, 0.75f};
    #pragma unroll 1
    for (int t = 0; t < samples; ++t) {
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < 6; ++k)
            if (t >= k) sum += weight[k] * x[(t - k) * n + channel];
        y[t * n + channel] = sum;
    }
}
