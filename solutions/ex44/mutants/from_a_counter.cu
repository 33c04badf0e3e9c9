// Who is done takes the next number of all from a counter, so that lanes with short searches do more of them.
//@ mutant slow: each number costs a request at one address, and those follow each other: 0.27x on an H100
//@ let     block = 64
//@ scratch next: i32[1]
//@ launch  clear<<<1, 1>>>(next)
//@ launch  search<<<ceil_div(n, 16 * block), block>>>(x, y, next, n)

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

__global__ void clear(int* next) { *next = 0; }

__global__ void search(const unsigned* x, int* y, int* next, int n)
{
    int i = atomicAdd(next, 1);
    unsigned s = i < n ? x[i] : 0;
    int tries = 0;
    #pragma unroll 1
    while (i < n) {
        s = stir(s);
        tries += 1;
        if (s % 64 == 0) {
            y[i] = tries;
            i = atomicAdd(next, 1);
            tries = 0;
            if (i < n) s = x[i];
        }
    }
}
