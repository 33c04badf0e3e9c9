// Checks the first element and trusts the second.
//@ mutant out-of-bounds: the second element is not checked against n
//@ let    block = 256
//@ launch add<<<ceil_div(n, 2 * block), block>>>(a, b, c, n)

constexpr int block = 256;

__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n)
{
    int i = blockIdx.x * 2 * block + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
        c[i + block] = a[i + block] + b[i + block];
    }
}
