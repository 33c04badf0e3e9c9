// Local arrays, indexed at run time.
// Flaw: registers have no index, so an array that is indexed by a variable has to
// live in local memory, which is DRAM behind a cache: every v[...] is a load (LDL)
// or a store (STL).
//@ let    one = min(n, 1024)
//@ launch add_kernel<<<1, one>>>(0, a, b)
//@ let    block = 256
//@ launch lagged<<<ceil_div(n, block), block>>>(64, a, last, n)

// Two values in slots that only the launch knows. c is 0 or 1; the compiler cannot
// know that it is 0 here.
__global__ void add_kernel(int c, const int* a, int* b)
{
    int i = threadIdx.x;
    int v[2];
    v[c] = c;
    v[1 - c] = 1 - c;
    b[i] = a[i] + v[i % 2];
}

// A lagged Fibonacci generator: x[k] = x[k - 8] + x[k - 3], the last eight values
// kept in a ring.
__global__ void lagged(int steps, const int* a, unsigned* last, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned v[8];
    for (int j = 0; j < 8; ++j) v[j] = a[i] + j * 0x9e3779b9u;

    for (int k = 0; k < steps; ++k)
        v[k % 8] += v[(k + 5) % 8];

    last[i] = v[(steps - 1) % 8];
}
