// A thread's sixteen numbers lie in a row.
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
    int i = 16 * (blockIdx.x * blockDim.x + threadIdx.x);
    int end = min(i + 16, n);
    unsigned s = i < end ? x[i] : 0;
    int tries = 0;
    #pragma unroll 1
    while (i < end) {
        s = stir(s);
        ++tries;
        if (s % 64 == 0) {
            y[i++] = tries;
            tries = 0;
            if (i < end) s = x[i];
        }
    }
}
