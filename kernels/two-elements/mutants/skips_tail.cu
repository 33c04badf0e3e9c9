// Treats pairs only.
//@ mutant wrong-result: skips the tail, threads without a second element leave the first one unwritten
//@ let    block = 256
//@ launch add<<<ceil_div(n, 2 * block), block>>>(a, b, c, n)

constexpr int block = 256;

__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n)
{
    int i = blockIdx.x * 2 * block + threadIdx.x;
    if (i + block < n) {
        c[i] = a[i] + b[i];
        c[i + block] = a[i + block] + b[i + block];
    }
}
