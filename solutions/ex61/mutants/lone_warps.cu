// Blocks of one warp that take nearly all shared memory, for nothing.
//@ mutant slow: one warp runs on each multiprocessor, and nothing covers its waits: 0.14x on an H200
//@ let    block = 32
//@ let    dots_wanted = ceil_div(n, 256)
//@ launch dot<<<ceil_div(32 * dots_wanted, block), block, 200000>>>(a, b, dots, n)

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256;
    if (first >= n) return;         // the same for all lanes of the warp

    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + 32 * k + lane;
        if (i < n) sum += a[i] * b[i];
    }

    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) dots[warp] = sum;
}
