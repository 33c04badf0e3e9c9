// Exchanges through global memory.
//@ mutant goal: the lanes of a warp meet between two launches, and everything is written and read once more
//@ let    block = 256
//@ scratch turned: f32[32 * ceil_div(n, 32)]
//@ launch first<<<ceil_div(n, block), block>>>(x, turned, n)
//@ launch second<<<ceil_div(n, block), block>>>(turned, y, n)

__global__ void first(const float* x, float* turned, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int from = i ^ 31;
    if (i / 32 * 32 < n) turned[i] = from < n ? x[from] : 0.0f;
}

__global__ void second(const float* turned, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float before = i % 32 > 0 ? turned[i - 1] : turned[i];
    y[i] = 0.5f * (before + turned[i]);
}
