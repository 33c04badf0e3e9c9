// A grid-stride loop.
//@ let    block = 128
//@ launch mid_side<<<ceil_div(n, 2 * block), block>>>(left, right, mid, side, n)

__global__ void mid_side(const float* __restrict__ left, const float* __restrict__ right, float* mid, float* side, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float l = left[i];
        float r = right[i];
        mid[i] = 0.5f * (l + r);
        side[i] = 0.5f * (l - r);
    }
}
