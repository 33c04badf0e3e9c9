// Four at a time where there are many and 64 divides their number, one at a time elsewhere.
//@ launch both<<<ceil_div(n, 1024), 256>>>(left, right, mid, side, n)

__global__ void both(const float* left, const float* right, float* mid, float* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n > 100000 && n % 64 == 0) {
        if (i >= n / 4) return;
        float4 l = reinterpret_cast<const float4*>(left)[i];
        float4 r = reinterpret_cast<const float4*>(right)[i];
        reinterpret_cast<float4*>(mid)[i] =
            make_float4(0.5f * (l.x + r.x), 0.5f * (l.y + r.y), 0.5f * (l.z + r.z), 0.5f * (l.w + r.w));
        reinterpret_cast<float4*>(side)[i] =
            make_float4(0.5f * (l.x - r.x), 0.5f * (l.y - r.y), 0.5f * (l.z - r.z), 0.5f * (l.w - r.w));
        return;
    }
    for (; i < n; i += gridDim.x * blockDim.x) {
        float l = left[i];
        float r = right[i];
        mid[i] = 0.5f * (l + r);
        side[i] = 0.5f * (l - r);
    }
}
