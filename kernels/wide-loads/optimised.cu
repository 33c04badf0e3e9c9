// y = 2x + 1, four float4 per thread, still in blocks of one warp.
// A float4 is one 16-byte load, and four of them are independent: 64 bytes per
// thread are in flight before the first value is needed. Sixteen times the bytes in
// flight with as many warps on an SM, and a sixteenth of the blocks.
//@ let    block = 32
//@ let    quads = n / 4
//@ launch scale<<<max(ceil_div(quads, 4 * block), 1), block>>>(x, y, n)

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
    int i = blockIdx.x * 4 * block + threadIdx.x;

    if (i + 3 * block < quads) {
        float4 a = x4[i];
        float4 b = x4[i + block];
        float4 c = x4[i + 2 * block];
        float4 d = x4[i + 3 * block];
        y4[i] = scaled(a);
        y4[i + block] = scaled(b);
        y4[i + 2 * block] = scaled(c);
        y4[i + 3 * block] = scaled(d);
    } else {
        for (int k = 0; k < 4; ++k)
            if (i + k * block < quads) y4[i + k * block] = scaled(x4[i + k * block]);
    }

    // Up to three elements are left over when n is no multiple of 4.
    if (blockIdx.x == 0 && threadIdx.x < n % 4) {
        int last = quads * 4 + threadIdx.x;
        y[last] = 2.0f * x[last] + 1.0f;
    }
}
