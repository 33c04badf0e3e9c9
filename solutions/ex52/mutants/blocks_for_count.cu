// Launches as many blocks as the counted size needs.
//@ mutant wrong-result: leaves out what lies beyond 16384 elements
//@ let    block = 256
//@ launch turn<<<64, block>>>(x, y, n)

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
    float before = lane > 0 ? s[t - 1] : turned;

    if (i < n) y[i] = 0.5f * (before + turned);
}
