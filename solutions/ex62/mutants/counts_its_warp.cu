// Adds its own warp's total as well.
//@ mutant wrong-result: off by one warp
//@ let    block = 256
//@ launch running<<<ceil_div(n, block), block>>>(x, y, n)

constexpr int block = 256;

__global__ void running(const float* x, float* y, int n)
{
    __shared__ float warp_total[block / 32];
    int t = threadIdx.x;
    int lane = t % 32;
    int warp = t / 32;
    int i = blockIdx.x * block + t;

    float sum = i < n ? x[i] : 0.0f;
    for (int k = 1; k < 32; k *= 2) {
        float before = __shfl_up_sync(0xffffffffu, sum, k);
        if (lane >= k) sum += before;
    }
    if (lane == 31) warp_total[warp] = sum;
    __syncthreads();

    float below = lane % 8 <= warp ? warp_total[lane % 8] : 0.0f;
    for (int k = 4; k > 0; k /= 2)
        below += __shfl_xor_sync(0xffffffffu, below, k);

    if (i < n) y[i] = below + sum;
}
