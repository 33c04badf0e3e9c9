// The sum of every 256 elements, from register to register.
// A shuffle hands a register of one lane to another, so each warp adds its 32
// values in five steps, with no memory and no barrier. Shared memory carries eight
// partial sums across, past a single barrier, and the first warp adds those.
//@ let    block = 256
//@ launch block_sums<<<ceil_div(n, block), block>>>(x, sums, n)

constexpr int block = 256;
constexpr unsigned full = 0xffffffffu;

__global__ void block_sums(const float* x, float* sums, int n)
{
    __shared__ float partial[block / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    float sum = i < n ? x[i] : 0.0f;
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(full, sum, k);

    if (t % 32 == 0) partial[t / 32] = sum;
    __syncthreads();

    if (t < 32) {
        sum = t < block / 32 ? partial[t] : 0.0f;
        for (int k = block / 64; k > 0; k /= 2)
            sum += __shfl_down_sync(full, sum, k);
        if (t == 0) sums[blockIdx.x] = sum;
    }
}
