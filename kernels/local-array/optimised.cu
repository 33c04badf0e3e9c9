// Local arrays, indexed by constants.
// Every index below is a number once the inner loop is unrolled, so each v[...] is
// a register of its own, and the array exists only in the source.
//@ let    one = min(n, 1024)
//@ launch add_kernel2<<<1, one>>>(0, a, b)
//@ let    block = 256
//@ launch lagged<<<ceil_div(n, block), block>>>(64, a, last, n)

// The choice is a SEL, or a predicated instruction. As add_kernel for c = 0.
__global__ void add_kernel2(int c, const int* a, int* b)
{
    int i = threadIdx.x;
    int v[2];
    v[0] = c;
    v[1] = 1 - c;
    int vv = (i % 2 == 0) ? v[0] : v[1];
    b[i] = a[i] + vv;
}

// The ring turns once every eight steps, so eight steps are written out and the
// loop counts turns.
// `steps` is a multiple of 8.
__global__ void lagged(int steps, const int* a, unsigned* last, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned v[8];
    for (int j = 0; j < 8; ++j) v[j] = a[i] + j * 0x9e3779b9u;

    for (int k = 0; k < steps; k += 8) {
        #pragma unroll
        for (int j = 0; j < 8; ++j)
            v[j] += v[(j + 5) % 8];
    }

    last[i] = v[7];
}
