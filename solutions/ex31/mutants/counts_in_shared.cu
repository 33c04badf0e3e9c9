// Keeps the counters in shared memory, at an index that comes from the data.
//@ mutant goal: a load and a store for every base as before, in another memory
//@ let    block = 256
//@ launch count_bases<<<ceil_div(n, block), block>>>(bases, counts, n)

__global__ void count_bases(const unsigned* bases, int* counts, int n)
{
    __shared__ int count[4][256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (i >= n) return;

    for (int b = 0; b < 4; ++b) count[b][t] = 0;
    unsigned word = bases[i];
    for (int k = 0; k < 16; ++k) {
        ++count[word & 3][t];
        word >>= 2;
    }
    for (int b = 0; b < 4; ++b) counts[b * n + i] = count[b][t];
}
