// A fixed grid without the loop.
//@ mutant wrong-result: elements beyond the grid are never read
//@ let     block = 256
//@ let     grid = min(ceil_div(n, block), 64)
//@ scratch partial: f32[grid]
//@ launch  total<<<grid, block>>>(x, partial, n)
//@ launch  total<<<1, block>>>(partial, sum, grid)

constexpr int block = 256;

__global__ void total(const float* x, float* sums, int n)
{
    __shared__ float s[block];
    int t = threadIdx.x;

    float own = 0.0f;
    int i = blockIdx.x * block + t;
    if (i < n) own = x[i];
    s[t] = own;
    __syncthreads();

    for (int k = block / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t == 0) sums[blockIdx.x] = s[0];
}
