// Lets every lane take eight elements that stand side by side, one load at a time.
//@ mutant goal: right, but the lanes read words that are 32 bytes apart, a sector each
//@ let    block = 256
//@ let    dots_wanted = ceil_div(n, 256)
//@ launch dot<<<ceil_div(32 * dots_wanted, block), block>>>(a, b, dots, n)

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256;
    if (first >= n) return;         // the same for all lanes of the warp

    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + 8 * lane + k;
        if (i < n) sum += a[i] * b[i];
    }

    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) dots[warp] = sum;
}
