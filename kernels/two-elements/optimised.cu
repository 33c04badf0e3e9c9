// Vector add, two elements per thread, a constant distance apart.
// Each address is computed once: the second element's 256 * 4 bytes fit into the
// offset of the load or store itself. __restrict__ promises that c is neither a nor
// b, so all four loads may be in flight before the first store.
//@ let    block = 256
//@ launch add<<<ceil_div(n, 2 * block), block>>>(a, b, c, n)

constexpr int block = 256;

__global__ void add(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n)
{
    int i = blockIdx.x * 2 * block + threadIdx.x;
    if (i + block < n) {
        c[i] = a[i] + b[i];
        c[i + block] = a[i + block] + b[i + block];
    } else if (i < n) {
        c[i] = a[i] + b[i];
    }
}
