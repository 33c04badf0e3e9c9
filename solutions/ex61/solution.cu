// The dot product of every 256 elements, a warp each: no shared memory and no barrier at all.
// A warp takes all 256 elements of one result, eight per lane, and five shuffles bring the lanes' sums together. With nothing
// to hand to other warps, nothing has to wait for them.
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
        int i = first + 32 * k + lane;
        if (i < n) sum += a[i] * b[i];
    }

    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) dots[warp] = sum;
}
