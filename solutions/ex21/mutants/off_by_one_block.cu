// Launches one block too few.
//@ mutant wrong-result: off by one block, (n - 1) / block leaves the last one out
//@ let    block = 256
//@ launch mid_side<<<max((n - 1) / block, 1), block>>>(left, right, mid, side, n)

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float l = left[i];
    float r = right[i];
    mid[i] = 0.5f * (l + r);
    side[i] = 0.5f * (l - r);
}
