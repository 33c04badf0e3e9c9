// Right at every size up to a million.
//@ mutant wrong-result: leaves out the last n % 4 samples of long signals
//@ let    block = 256
//@ launch mid_side<<<ceil_div(n, block), block>>>(left, right, mid, side, n)

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (n > 1000000 ? n / 4 * 4 : n)) return;

    float l = left[i];
    float r = right[i];
    mid[i] = 0.5f * (l + r);
    side[i] = 0.5f * (l - r);
}
