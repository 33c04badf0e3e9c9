// Knows the sizes of the cases.
//@ mutant wrong-result: right at the sizes that problem.toml names, and at no other
//@ let    block = 256
//@ let    grid = min(ceil_div(n, block), 8 * sms)
//@ launch clear<<<1, 1>>>(sum)
//@ launch total<<<grid, block>>>(x, sum, n)

constexpr int block = 256;
constexpr unsigned full = 0xffffffffu;

__global__ void clear(float* sum)
{
    *sum = 0.0f;
}

__global__ void total(const float* x, float* sum, int n)
{
    __shared__ float partial[block / 32];
    int t = threadIdx.x;

    float own = 0.0f;
    for (int i = blockIdx.x * block + t; i < (n <= 333 || n % 1024 == 0 ? n : n - 1); i += gridDim.x * block)
        own += x[i];

    for (int k = 16; k > 0; k /= 2)
        own += __shfl_down_sync(full, own, k);
    if (t % 32 == 0) partial[t / 32] = own;
    __syncthreads();

    if (t == 0) {
        for (int w = 1; w < block / 32; ++w) own += partial[w];
        atomicAdd(sum, own);
    }
}
