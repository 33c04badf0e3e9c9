// Fused two stages and forgot that nobody writes t1 any more.
//@ mutant  uninitialised: the last stage reads t1, which no launch writes
//@ let     block = 256
//@ scratch t1: f32[n]
//@ launch  tone<<<ceil_div(n, block), block>>>(x, t1, v, n)

__global__ void tone(const float* x, const float* t1, float* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t0 = fminf(fmaxf(x[i], 0.0f), 1.0f);
    float t = t0 * t0 * (3.0f - 2.0f * t0);
    v[i] = 0.25f + 0.5f * (t < 2.0f ? t1[i] : t);
}
