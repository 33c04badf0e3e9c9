// A tree in shared memory for each warp, and shuffles in a branch for fewer than no elements.
//@ mutant goal: five shuffles stand in the machine code, and none ever runs
//@ let    block = 256
//@ let    dots_wanted = ceil_div(n, 256)
//@ launch dot<<<ceil_div(32 * dots_wanted, block), block>>>(a, b, dots, n)

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    __shared__ float s[8][32];
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int own = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256;
    if (first >= n) return;

    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + 32 * k + lane;
        if (i < n) sum += a[i] * b[i];
    }
    s[own][lane] = sum;
    __syncwarp();
    for (int k = 16; k > 0; k /= 2) {
        if (lane < k) s[own][lane] += s[own][lane + k];
        __syncwarp();
    }
    if (n < 0) {
        for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
        dots[warp] = sum;
    }
    if (lane == 0) dots[warp] = s[own][0];
}
