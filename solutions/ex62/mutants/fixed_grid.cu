// Launches as many blocks as one size needs.
//@ mutant wrong-result: larger inputs are left out from there on
//@ let    block = 256
//@ launch running<<<128, block>>>(x, y, n)

constexpr int block = 256;

__global__ void running(const float* x, float* y, int n)
{
    __shared__ float warp_total[block / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;
    int lane = t % 32, warp = t / 32;

    float sum = i < n ? x[i] : 0.0f;
    for (int k = 1; k < 32; k *= 2) {
        float before = __shfl_up_sync(0xffffffff, sum, k);
        if (lane >= k) sum += before;
    }
    if (lane == 31) warp_total[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; ++w) sum += warp_total[w];

    if (i < n) y[i] = sum;
}
