// Blocks that stay, and whose lanes do not meet before the next elements.
//@ mutant race: the store of the next turn may overwrite what another lane still has to read
//@ let    block = 256
//@ launch turn<<<sms, block>>>(x, y, n)

__global__ void turn(const float* x, float* y, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    int lane = t % 32;

    for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
        int i = first + t;
        s[t] = i < n ? x[i] : 0.0f;
        __syncwarp();
        float turned = s[t ^ 31];
        __syncwarp();

        s[t] = turned;
        __syncwarp();
        float before = lane > 0 ? s[t - 1] : turned;

        if (i < n) y[i] = 0.5f * (before + turned);
    }
}
