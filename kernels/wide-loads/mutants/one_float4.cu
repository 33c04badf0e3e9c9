// Wide, and only one a thread.
//@ mutant goal: one 16-byte load is under way, not four
//@ let    block = 32
//@ let    quads = n / 4
//@ launch scale<<<max(ceil_div(quads, block), 1), block>>>(x, y, n)

constexpr int block = 32;

__device__ float4 scaled(float4 v)
{
    return make_float4(2.0f * v.x + 1.0f, 2.0f * v.y + 1.0f, 2.0f * v.z + 1.0f, 2.0f * v.w + 1.0f);
}

__global__ void scale(const float* __restrict__ x, float* __restrict__ y, int n)
{
    const float4* x4 = reinterpret_cast<const float4*>(x);
    float4* y4 = reinterpret_cast<float4*>(y);
    int quads = n / 4;
    int i = blockIdx.x * block + threadIdx.x;

    if (i < quads) y4[i] = scaled(x4[i]);

    // Up to three elements are left over when n is no multiple of 4.
    if (blockIdx.x == 0 && threadIdx.x < n % 4) {
        int last = quads * 4 + threadIdx.x;
        y[last] = 2.0f * x[last] + 1.0f;
    }
}
