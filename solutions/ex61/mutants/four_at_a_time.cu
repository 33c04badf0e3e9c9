// A warp makes four results, and stores one more than there are.
//@ mutant out-of-bounds: a result that begins exactly at n has no element, and no place
//@ launch dot<<<ceil_div(ceil_div(n, 256), 32), 256>>>(a, b, dots, n)

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 1024;
    if (first >= n) return;

    for (int j = 0; j < 4; ++j) {
        float sum = 0.0f;
        for (int k = 0; k < 8; ++k) {
            int i = first + 256 * j + 32 * k + lane;
            if (i < n) sum = fmaf(a[i], b[i], sum);
        }
        for (int k = 16; k > 0; k /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, k);
        if (lane == 0 && first + 256 * j <= n) dots[4 * warp + j] = sum;
    }
}
