// Shuffles alone.
//@ let    block = 256
//@ launch turn<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void turn(const float* x, float* y, int n)
{
    int lane = threadIdx.x % 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    float own = i < n ? x[i] : 0.0f;
    float turned = __shfl_xor_sync(0xffffffffu, own, 31);
    float before = __shfl_up_sync(0xffffffffu, turned, 1);
    if (lane == 0) before = turned;
    if (i < n) y[i] = 0.5f * (before + turned);
}
