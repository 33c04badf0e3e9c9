// Meets in two halves.
//@ mutant race: the halves turn into each other, so 16 lanes have to wait for the other 16
//@ let    block = 256
//@ launch turn<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void turn(const float* x, float* y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    int lane = t % 32;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? x[i] : 0.0f;
    __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
    float turned = s[t ^ 31];
    __syncwarp();

    s[t] = turned;
    __syncwarp();
    float before = lane > 0 ? s[t - 1] : turned;

    if (i < n) y[i] = 0.5f * (before + turned);
}
