// Counts in the output itself, at an index that comes from the data.
//@ mutant goal: the counters have left local memory for global memory, a load and a store for every base as before
//@ let    block = 256
//@ launch count_bases<<<ceil_div(n, block), block>>>(bases, counts, n)

__global__ void count_bases(const unsigned* bases, int* counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    for (int b = 0; b < 4; ++b) counts[b * n + i] = 0;
    unsigned word = bases[i];
    for (int k = 0; k < 16; ++k) {
        ++counts[(word & 3) * n + i];
        word >>= 2;
    }
}
