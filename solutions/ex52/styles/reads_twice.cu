// No exchange at all: a lane reads both elements itself.
//@ let    block = 256
//@ launch turn<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void turn(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int own = i ^ 31;
    int other = i % 32 > 0 ? own + 1 : own;
    float turned = own < n ? x[own] : 0.0f;
    float before = other < n ? x[other] : 0.0f;
    y[i] = 0.5f * (before + turned);
}
