// Launches a block for sixteen times as many numbers, and takes one per thread.
//@ mutant wrong-result: fifteen of sixteen are not looked at
//@ let    block = 64
//@ launch search<<<ceil_div(n, 16 * block), block>>>(x, y, n)

__device__ unsigned stir(unsigned s)
{
    #pragma unroll
    for (int round = 0; round < 2; ++round) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    return s;
}

__global__ void search(const unsigned* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned s = x[i];
        int tries = 0;
        do {
            s = stir(s);
            tries += 1;
        } while (s % 64 != 0);
        y[i] = tries;
    }
}
