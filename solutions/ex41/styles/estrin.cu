// Estrin's scheme: two more multiplications, and a shorter chain.
//@ let    block = 256
//@ launch curve<<<ceil_div(n, block), block>>>(x, left, right, y, n)

__global__ void curve(const float* __restrict__ x, const float* __restrict__ left, const float* __restrict__ right, float* __restrict__ y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    const float4* c = reinterpret_cast<const float4*>(v < 0.0f ? left : right);
    float v2 = v * v, v4 = v2 * v2, s = 0;
    #pragma unroll
    for (int k = 3; k >= 0; --k) {
        float4 q = c[k];
        s = fmaf(s, v4, fmaf(fmaf(q.w, v, q.z), v2, fmaf(q.y, v, q.x)));
    }
    y[i] = s;
}
