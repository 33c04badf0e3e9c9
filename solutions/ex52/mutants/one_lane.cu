// One lane does the whole warp's work.
//@ mutant goal: nobody has to meet anybody, because 31 lanes of 32 do nothing
//@ let    block = 256
//@ launch turn<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void turn(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 32 != 0) return;

    float before = 0.0f;
    for (int lane = 0; lane < 32; ++lane) {
        float turned = i + 31 - lane < n ? x[i + 31 - lane] : 0.0f;
        if (lane == 0) before = turned;
        if (i + lane < n) y[i + lane] = 0.5f * (before + turned);
        before = turned;
    }
}
