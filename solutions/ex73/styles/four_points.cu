// Four points per thread, in a row: one float4.
//@ let    block = 128
//@ launch values<<<ceil_div(n, 4 * block), block>>>(x, c, y, n)

__global__ void values(const float* x, const float* c, float* y, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;

    float v[4] = {}, sum[4] = {};
    if (i + 4 <= n) {
        float4 all = *reinterpret_cast<const float4*>(x + i);
        v[0] = all.x; v[1] = all.y; v[2] = all.z; v[3] = all.w;
    } else {
        for (int j = 0; j < 4; ++j)
            if (i + j < n) v[j] = x[i + j];
    }
    #pragma unroll 4
    for (int k = 47; k >= 0; --k) {
        float own = c[k];
        #pragma unroll
        for (int j = 0; j < 4; ++j) sum[j] = sum[j] * v[j] + own;
    }
    if (i + 4 <= n) *reinterpret_cast<float4*>(y + i) = make_float4(sum[0], sum[1], sum[2], sum[3]);
    else
        for (int j = 0; j < 4; ++j)
            if (i + j < n) y[i + j] = sum[j];
}
