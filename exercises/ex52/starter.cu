// Each warp turns its 32 elements round, and then every element is averaged with the one before it.
// Flaw: the lanes hand elements to each other through shared memory, and never synchronize.
//@ let    block = 256
//@ launch turn<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void turn(const float* x, float* y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    int lane = t % 32;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? x[i] : 0.0f;
    float turned = s[t ^ 31];

    s[t] = turned;
    float before = lane > 0 ? s[t - 1] : turned;

    if (i < n) y[i] = 0.5f * (before + turned);
}
