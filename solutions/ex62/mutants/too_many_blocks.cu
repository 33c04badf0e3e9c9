// Gives a warp 256 elements and launches a warp for every 32.
//@ mutant goal: right, but of eight blocks seven add up zeros
//@ let    block = 256
//@ launch running<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void running(const float* x, float* y, int n)
{
    int lane = threadIdx.x % 32;
    int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    float v[8];
    if (i + 8 <= n) {
        float4 a = *(const float4*)(x + i), b = *(const float4*)(x + i + 4);
        v[0] = a.x; v[1] = a.y; v[2] = a.z; v[3] = a.w;
        v[4] = b.x; v[5] = b.y; v[6] = b.z; v[7] = b.w;
    } else {
        for (int k = 0; k < 8; ++k) v[k] = i + k < n ? x[i + k] : 0.0f;
    }
    for (int k = 1; k < 8; ++k) v[k] += v[k - 1];
    float total = v[7];
    for (int k = 1; k < 32; k *= 2) {
        float before = __shfl_up_sync(0xffffffff, total, k);
        if (lane >= k) total += before;
    }
    float before = __shfl_up_sync(0xffffffff, total, 1);
    if (lane == 0) before = 0.0f;
    for (int k = 0; k < 8; ++k) v[k] += before;
    if (i + 8 <= n) {
        *(float4*)(y + i) = make_float4(v[0], v[1], v[2], v[3]);
        *(float4*)(y + i + 4) = make_float4(v[4], v[5], v[6], v[7]);
    } else {
        for (int k = 0; k < 8; ++k) if (i + k < n) y[i + k] = v[k];
    }
}
