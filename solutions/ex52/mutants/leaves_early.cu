// Lets threads beyond the end leave first.
//@ mutant uninitialised: the words of lanes that have returned are never written, and are read
//@ let    block = 256
//@ launch turn<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void turn(const float* x, float* y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    int lane = t % 32;
    int i = blockIdx.x * blockDim.x + t;

    if (i >= n) return;
    s[t] = x[i];
    __syncwarp();
    float turned = s[t ^ 31];
    __syncwarp();

    s[t] = turned;
    __syncwarp();
    float before = lane > 0 ? s[t - 1] : turned;

    if (i < n) y[i] = 0.5f * (before + turned);
}
