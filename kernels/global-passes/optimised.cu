// The sum of an array in two launches: within a block the rounds are separated by a
// barrier, and partial sums stay in shared memory. Only one number per block goes
// through global memory, to the second launch, which is a single block.
//@ let     block = 256
//@ let     grid = min(ceil_div(n, block), 8 * sms)
//@ scratch partial: f32[grid]
//@ launch  total<<<grid, block>>>(x, partial, n)
//@ launch  total<<<1, block>>>(partial, sum, grid)

constexpr int block = 256;

__global__ void total(const float* x, float* sums, int n)
{
    __shared__ float s[block];
    int t = threadIdx.x;

    float own = 0.0f;
    for (int i = blockIdx.x * block + t; i < n; i += gridDim.x * block)
        own += x[i];
    s[t] = own;
    __syncthreads();

    for (int k = block / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t == 0) sums[blockIdx.x] = s[0];
}
