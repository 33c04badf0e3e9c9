// Computes side from the mid it has just stored.
//@ mutant wrong-result: left - mid is rounded twice, which the bound of one rounding does not allow
//@ let    block = 256
//@ launch mid_side<<<ceil_div(n, block), block>>>(left, right, mid, side, n)

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float l = left[i];
    float r = right[i];
    mid[i] = 0.5f * (l + r);
    side[i] = l - mid[i];
}
