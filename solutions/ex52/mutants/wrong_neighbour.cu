// Averages with the one after.
//@ mutant wrong-result: off by one, s[t + 1] instead of s[t - 1]
//@ let    block = 256
//@ launch turn<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void turn(const float* x, float* y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    int lane = t % 32;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? x[i] : 0.0f;
    __syncwarp();
    float turned = s[t ^ 31];
    __syncwarp();

    s[t] = turned;
    __syncwarp();
    float before = lane < 31 ? s[t + 1] : turned;

    if (i < n) y[i] = 0.5f * (before + turned);
}
