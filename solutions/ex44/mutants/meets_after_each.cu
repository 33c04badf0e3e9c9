// Brings the warp together after each search.
//@ mutant goal: whoever is done waits for the others
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
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool more = i < n;
    while (__any_sync(0xffffffffu, more)) {
        unsigned s = more ? x[i] : 0;
        int tries = 0;
        bool done = !more;
        while (__any_sync(0xffffffffu, !done)) {
            if (!done) {
                s = stir(s);
                tries += 1;
                done = s % 64 == 0;
            }
        }
        if (more) y[i] = tries;
        i += stride;
        more = i < n;
    }
}
