// Three sums a lane, of large, common and small elements, each at a scale of its own (Blue, 1978).
//@ let    block = 256
//@ launch row_norms<<<ceil_div(ceil_div(n, 256), 8), block>>>(x, norms, n)

__device__ float sum32(float s) { for (int k = 16; k; k >>= 1) s += __shfl_xor_sync(~0u, s, k); return s; }
__global__ void row_norms(const float* x, float* norms, int n)
{
    int warp = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, first = warp * 256;
    if (first >= n) return;
    float big = 0, mid = 0, small = 0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + 32 * k + lane;
        float a = i < n ? fabsf(x[i]) : 0.0f;
        float b = a * 0x1p-80f, c = a * 0x1p100f;
        bool isbig = a > 0x1p50f, issmall = a < 0x1p-40f;
        big = isbig ? fmaf(b, b, big) : big;
        small = issmall ? fmaf(c, c, small) : small;
        mid = isbig || issmall ? mid : fmaf(a, a, mid);
    }
    big = sum32(big); mid = sum32(mid); small = sum32(small);
    if (lane) return;
    float r;
    if (big > 0) r = sqrtf(big + mid * 0x1p-80f * 0x1p-80f) * 0x1p80f;
    else if (mid > 0) r = sqrtf(mid + small * 0x1p-100f * 0x1p-100f);
    else r = sqrtf(small) * 0x1p-100f;
    norms[warp] = r;
}
