// A tone curve: clamp to [0, 1], smooth, scale: v = f(g(h(x))) as three kernels.
// Flaw: t0 and t1 go out to memory and come back, so three times the bytes move and
// two whole arrays exist for nothing.
//@ let     block = 256
//@ let     grid = ceil_div(n, block)
//@ scratch t0: f32[n]
//@ scratch t1: f32[n]
//@ launch  clamp<<<grid, block>>>(x, t0, n)
//@ launch  smooth<<<grid, block>>>(t0, t1, n)
//@ launch  scale<<<grid, block>>>(t1, v, n)

__global__ void clamp(const float* x, float* t0, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t0[i] = fminf(fmaxf(x[i], 0.0f), 1.0f);
}

__global__ void smooth(const float* t0, float* t1, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t1[i] = t0[i] * t0[i] * (3.0f - 2.0f * t0[i]);
}

__global__ void scale(const float* t1, float* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = 0.25f + 0.5f * t1[i];
}
