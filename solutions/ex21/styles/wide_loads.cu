// Four elements a load, and the last of them one by one, in a loop that the compiler unrolls: twelve loads stand there, and two run.
//@ let    block = 256
//@ launch mid_side<<<ceil_div(n, 4 * block), block>>>(left, right, mid, side, n)

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 4 <= n) {
        float4 l = *reinterpret_cast<const float4*>(left + i);
        float4 r = *reinterpret_cast<const float4*>(right + i);
        *reinterpret_cast<float4*>(mid + i) =
            make_float4(0.5f * (l.x + r.x), 0.5f * (l.y + r.y), 0.5f * (l.z + r.z), 0.5f * (l.w + r.w));
        *reinterpret_cast<float4*>(side + i) =
            make_float4(0.5f * (l.x - r.x), 0.5f * (l.y - r.y), 0.5f * (l.z - r.z), 0.5f * (l.w - r.w));
        return;
    }
    for (; i < n; ++i) {
        float l = left[i];
        float r = right[i];
        mid[i] = 0.5f * (l + r);
        side[i] = 0.5f * (l - r);
    }
}
