// Right, and stops half way: the last stage is still a kernel of its own.
//@ mutant  goal: two launches, and t1 still goes through memory
//@ let     block = 256
//@ let     grid = ceil_div(n, block)
//@ scratch t1: f32[n]
//@ launch  clamp_smooth<<<grid, block>>>(x, t1, n)
//@ launch  scale<<<grid, block>>>(t1, v, n)

__global__ void clamp_smooth(const float* x, float* t1, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t0 = fminf(fmaxf(x[i], 0.0f), 1.0f);
    t1[i] = t0 * t0 * (3.0f - 2.0f * t0);
}

__global__ void scale(const float* t1, float* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = 0.25f + 0.5f * t1[i];
}
