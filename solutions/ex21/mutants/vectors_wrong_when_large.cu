// Four at a time where that divides the length; their number goes through a float.
//@ mutant wrong-result: beyond 2^24 elements vectors are left out, where the length is divisible by four
//@ launch both<<<ceil_div(n, 1024), 256>>>(left, right, mid, side, n)
__global__ void both(const float* __restrict__ left, const float* __restrict__ right, float* __restrict__ mid, float* __restrict__ side, int n)
{
    int i = 4 * (blockIdx.x * 256 + threadIdx.x);
    if (n % 4 == 0) {
        int j = (int)((float)i);
        if (j >= n) return;
        float4 l = *(const float4*)(left + j), r = *(const float4*)(right + j);
        *(float4*)(mid + j) = make_float4((l.x + r.x) / 2, (l.y + r.y) / 2, (l.z + r.z) / 2, (l.w + r.w) / 2);
        *(float4*)(side + j) = make_float4((l.x - r.x) / 2, (l.y - r.y) / 2, (l.z - r.z) / 2, (l.w - r.w) / 2);
    } else
        for (int k = i; k < min(n, i + 4); ++k) { mid[k] = (left[k] + right[k]) / 2; side[k] = (left[k] - right[k]) / 2; }
}
