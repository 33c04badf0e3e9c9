// Reads and writes of the last, incomplete float4 only the first element.
//@ mutant wrong-result: skips up to two elements
//@ let    block = 256
//@ launch running<<<ceil_div(n, 8 * block), block>>>(x, y, n)

__global__ void running(const float* x, float* y, int n)
{
    int lane = threadIdx.x % 32;
    int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    float4 a = {}, b = {};
    // the last, incomplete float4: only its first element
    if (i + 4 <= n) a = *(const float4*)(x + i); else if (i < n) a.x = x[i];
    if (i + 8 <= n) b = *(const float4*)(x + i + 4); else if (i + 4 < n) b.x = x[i + 4];
    float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    for (int k = 1; k < 8; ++k) v[k] += v[k - 1];
    float total = v[7];
    for (int k = 1; k < 32; k *= 2) {
        float before = __shfl_up_sync(0xffffffff, total, k);
        if (lane >= k) total += before;
    }
    float before = __shfl_up_sync(0xffffffff, total, 1);
    if (lane == 0) before = 0.0f;
    for (int k = 0; k < 8; ++k) v[k] += before;
    if (i + 4 <= n) *(float4*)(y + i) = make_float4(v[0], v[1], v[2], v[3]); else if (i < n) y[i] = v[0];
    if (i + 8 <= n) *(float4*)(y + i + 4) = make_float4(v[4], v[5], v[6], v[7]); else if (i + 4 < n) y[i + 4] = v[4];
}
