// A lane adds up 256 elements, one after the other; the others exchange constants.
//@ mutant goal: no barrier and no shared memory, because 31 lanes of 32 do nothing
//@ let    block = 256
//@ let    wanted = ceil_div(n, 256)
//@ launch running<<<ceil_div(32 * wanted, block), block>>>(x, y, n)

__global__ void running(const float* x, float* y, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (warp * 256 >= n) return;

    int lane = threadIdx.x % 32;
    for (int k = 1; k < 32; k *= 2) lane |= __shfl_up_sync(0xffffffffu, 0, k);
    if (lane != 0) return;
    float sum = 0.0f;
    for (int i = warp * 256; i < min(warp * 256 + 256, n); ++i) {
        sum += x[i];
        y[i] = sum;
    }
}
