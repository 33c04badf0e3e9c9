// Rounds the grid down.
//@ mutant wrong-result: n / block blocks leave the tail unwritten
//@ let    one = min(n, 1024)
//@ launch add_kernel2<<<1, one>>>(0, a, b)
//@ let    block = 256
//@ launch lagged<<<max(n / block, 1), block>>>(64, a, last, n)

__global__ void add_kernel2(int c, const int* a, int* b)
{
    int i = threadIdx.x;
    int vv = (i % 2 == 0) ? c : 1 - c;
    b[i] = a[i] + vv;
}

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
