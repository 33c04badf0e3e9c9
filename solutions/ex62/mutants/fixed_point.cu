// Adds in fixed point, which does not round.
//@ mutant wrong-result: 64 bits have no room for large elements
//@ let    block = 256
//@ launch running<<<ceil_div(n, block), block>>>(x, y, n)

constexpr int block = 256;

__global__ void running(const float* x, float* y, int n)
{
    __shared__ long long warp_total[block / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;
    int lane = t % 32, warp = t / 32;

    long long sum = i < n ? (long long)(x[i] * 1099511627776.0f) : 0;
    for (int k = 1; k < 32; k *= 2) {
        long long before = __shfl_up_sync(0xffffffff, sum, k);
        if (lane >= k) sum += before;
    }
    if (lane == 31) warp_total[warp] = sum;
    __syncthreads();
    for (int w = 0; w < warp; ++w) sum += warp_total[w];

    if (i < n) y[i] = (float)sum * 9.094947017729282e-13f;
}
