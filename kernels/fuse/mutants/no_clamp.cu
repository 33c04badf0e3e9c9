// Lost a stage on the way.
//@ mutant wrong-result: the clamp is gone, which inputs outside [0, 1] notice
//@ let    block = 256
//@ launch tone<<<ceil_div(n, block), block>>>(x, v, n)

__global__ void tone(const float* x, float* v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t0 = x[i];
    float t1 = t0 * t0 * (3.0f - 2.0f * t0);
    v[i] = 0.25f + 0.5f * t1;
}
