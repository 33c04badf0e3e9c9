// The number of elements behind the last full warp is a template argument: every size has an instance of the kernel.
//@ let    block = 256
//@ let    tail = n % 32
//@ launch mid_side<tail><<<ceil_div(n, block), block>>>(left, right, mid, side, n)

template <int tail>
__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (tail != 0 && i >= n) return;
    if (tail == 0 && i / 32 >= n / 32) return;

    float l = left[i];
    float r = right[i];
    mid[i] = 0.5f * (l + r);
    side[i] = 0.5f * (l - r);
}
