// Each warp turns its 32 elements round, and its lanes synchronize between every write and read of each other's words.
// Three times: after the first store, so that the reads find it; before the second store, so that it does not overwrite what
// another lane still has to read; and after it. No lane needs anything of another warp, so __syncwarp() is enough.
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
    float before = lane > 0 ? s[t - 1] : turned;

    if (i < n) y[i] = 0.5f * (before + turned);
}
