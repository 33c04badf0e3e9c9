// Five shuffles, a shared word a warp, one barrier, three shuffles more.
//@ let    block = 256
//@ launch dot<<<ceil_div(n, block), block>>>(a, b, dots, n)

constexpr int block = 256;

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    __shared__ float of_warp[block / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    float sum = i < n ? a[i] * b[i] : 0.0f;
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();

    if (t < 32) {
        sum = t < block / 32 ? of_warp[t] : 0.0f;
        for (int k = block / 64; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
        if (t == 0) dots[blockIdx.x] = sum;
    }
}
