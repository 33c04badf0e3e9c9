// Four elements per load and store; those behind the last whole four one by one.
//@ launch gelu<<<ceil_div(ceil_div(n, 4), 256), 256>>>(x, y, n)
__device__ float g(float t) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(0.79788456f * (t + 0.044715f * t * t * t))); return fmaf(0.5f * t, r, 0.5f * t); }
__global__ void gelu(const float* x, float* y, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 3 < n) { float4 v = *(const float4*)(x + i); *(float4*)(y + i) = make_float4(g(v.x), g(v.y), g(v.z), g(v.w)); }
    else for (; i < n; ++i) y[i] = g(x[i]);
}
