// A step as one fused multiply-add: t + 0.1 (20 - t) = 0.9 t + 2.
//@ let    block = 128
//@ launch cool<<<ceil_div(n, block), block>>>(32, before, after, n)

__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = before[i];
    #pragma unroll 4
    for (int k = 0; k < steps; ++k)
        t = fmaf(0.9f, t, 2.0f);

    after[i] = t;
}
