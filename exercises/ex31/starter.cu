// Base counts: a word holds 16 bases of a DNA read, two bits each (0 to 3 for A, C, G, T). How many of each?
// Flaw: count[] is indexed by data, so it lives in local memory: a load and a store for every base.
//@ let    block = 256
//@ launch count_bases<<<ceil_div(n, block), block>>>(bases, counts, n)

__global__ void count_bases(const unsigned* bases, int* counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int count[4] = {0, 0, 0, 0};
    unsigned word = bases[i];
    for (int k = 0; k < 16; ++k) {
        ++count[word & 3];
        word >>= 2;
    }

    for (int b = 0; b < 4; ++b)
        counts[b * n + i] = count[b];
}
