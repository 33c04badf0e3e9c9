// Forgets that a block now owns 512 elements.
//@ mutant wrong-result: blocks start 256 apart, so they overlap and the last elements are never reached
//@ let    block = 256
//@ launch add<<<ceil_div(n, 2 * block), block>>>(a, b, c, n)

constexpr int block = 256;

__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n)
{
    int i = blockIdx.x * block + threadIdx.x;
    if (i + block < n) {
        c[i] = a[i] + b[i];
        c[i + block] = a[i + block] + b[i + block];
    } else if (i < n) {
        c[i] = a[i] + b[i];
    }
}
