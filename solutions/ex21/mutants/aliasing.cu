// Reads the input again where it is used.
//@ mutant goal: after the store to mid the compiler must load left and right again
//@ let    block = 256
//@ launch mid_side<<<ceil_div(n, block), block>>>(left, right, mid, side, n)

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    mid[i] = 0.5f * (left[i] + right[i]);
    side[i] = 0.5f * (left[i] - right[i]);
}
