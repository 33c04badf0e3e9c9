// Gives every thread one number.
//@ mutant goal: the lanes wait for the slowest once, and have nothing to do meanwhile
//@ let    block = 64
//@ launch search<<<ceil_div(n, block), block>>>(x, y, n)

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
    int stride = gridDim.x * blockDim.x;
    #pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned s = x[i];
        int tries = 0;
        do {
            s = stir(s);
            tries += 1;
        } while (s % 64 != 0);
        y[i] = tries;
    }
}
