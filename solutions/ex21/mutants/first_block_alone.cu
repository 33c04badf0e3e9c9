// As many blocks as there should be, and all but the first return at once.
//@ mutant goal: the first block does the work of all
//@ let    block = 256
//@ launch mid_side<<<ceil_div(n, block), block>>>(left, right, mid, side, n)

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    if (blockIdx.x != 0) return;

    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float l = left[i];
        float r = right[i];
        mid[i] = 0.5f * (l + r);
        side[i] = 0.5f * (l - r);
    }
}
