// The tone curve in one kernel: t0 and t1 are registers, so x is read once and v is
// written once.
//@ let    block = 256
//@ launch tone<<<ceil_div(n, block), block>>>(x, v, n)

__global__ void tone(const float* x, float* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t0 = fminf(fmaxf(x[i], 0.0f), 1.0f);
    float t1 = t0 * t0 * (3.0f - 2.0f * t0);
    v[i] = 0.25f + 0.5f * t1;
}
