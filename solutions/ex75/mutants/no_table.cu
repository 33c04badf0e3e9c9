// Looks up in global memory.
//@ mutant goal: no table has to be fetched, and every look-up touches sectors all over it
//@ let    block = 1024
//@ launch tones<<<ceil_div(n, block), block>>>(table, x, y, n)

__global__ void tones(const float* table, const int* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = table[x[i]];
}
