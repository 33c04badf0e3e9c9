// Mid and side in one kernel: left and right are loaded once and used twice from registers.
// Four arrays' worth of traffic instead of six. Loading into variables also settles a question that the compiler cannot
// answer: whether mid[i] might be the same memory as right[i].
//@ let    block = 256
//@ launch mid_side<<<ceil_div(n, block), block>>>(left, right, mid, side, n)

__global__ void mid_side(const float* left, const float* right, float* mid, float* side, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float l = left[i];
    float r = right[i];
    mid[i] = 0.5f * (l + r);
    side[i] = 0.5f * (l - r);
}
