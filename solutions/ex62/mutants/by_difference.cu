// What is before a lane is its inclusive sum less its own total.
//@ mutant wrong-result: where a lane's elements are far larger than all before them, nothing is left of these
//@ let    block = 256
//@ let    wanted = ceil_div(n, 256)
//@ launch running<<<ceil_div(32 * wanted, block), block>>>(x, y, n)

__global__ void running(const float* x, float* y, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256 + lane * 8;
    if (warp * 256 >= n) return;
    bool full = first + 8 <= n;
    float v[8];
    if (full) {
        float4 low = *reinterpret_cast<const float4*>(x + first);
        float4 high = *reinterpret_cast<const float4*>(x + first + 4);
        v[0] = low.x;  v[1] = low.y;  v[2] = low.z;  v[3] = low.w;
        v[4] = high.x; v[5] = high.y; v[6] = high.z; v[7] = high.w;
    } else {
        #pragma unroll
        for (int k = 0; k < 8; ++k) v[k] = first + k < n ? x[first + k] : 0.0f;
    }
    #pragma unroll
    for (int k = 1; k < 8; ++k) v[k] += v[k - 1];
    float sum = v[7];
    float own = sum;
    for (int k = 1; k < 32; k *= 2) {
        float before = __shfl_up_sync(0xffffffffu, sum, k);
        if (lane >= k) sum += before;
    }
    float below = sum - own;            // cancels
    #pragma unroll
    for (int k = 0; k < 8; ++k) v[k] += below;
    if (full) {
        *reinterpret_cast<float4*>(y + first) = make_float4(v[0], v[1], v[2], v[3]);
        *reinterpret_cast<float4*>(y + first + 4) = make_float4(v[4], v[5], v[6], v[7]);
    } else {
        #pragma unroll
        for (int k = 0; k < 8; ++k)
            if (first + k < n) y[first + k] = v[k];
    }
}
