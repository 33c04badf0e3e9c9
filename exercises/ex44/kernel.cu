// How often must a number be mixed until its last six bits are zero? About 64 times, sometimes once, sometimes 400 times. Each thread
// handles sixteen numbers.
// Flaw: after each number the lanes of a warp wait for the one that takes longest.
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
