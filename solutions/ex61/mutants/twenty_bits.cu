// Leaves out the last four bits of every element of a.
//@ mutant wrong-result: hidden in the bound of 256 elements, and not in that of one
//@ let    block = 256
//@ let    wanted = ceil_div(n, 256)
//@ launch dot<<<ceil_div(32 * wanted, block), block>>>(a, b, dots, n)

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256;
    if (first >= n) return;
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + 32 * k + lane;
        if (i < n) sum += __int_as_float(__float_as_int(a[i]) & ~15) * b[i];
    }
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) dots[warp] = sum;
}
