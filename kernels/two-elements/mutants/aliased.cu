// Two elements, without the promise that c is neither a nor b.
//@ mutant goal: the store of c[i] might change a or b, so the second pair of loads has to wait for it
//@ let    block = 256
//@ launch add<<<ceil_div(n, 2 * block), block>>>(a, b, c, n)

constexpr int block = 256;

__global__ void add(const float* a, const float* b, float* c, int n)
{
    int i = blockIdx.x * 2 * block + threadIdx.x;
    if (i + block < n) {
        c[i] = a[i] + b[i];
        c[i + block] = a[i + block] + b[i + block];
    } else if (i < n) {
        c[i] = a[i] + b[i];
    }
}
