// Counts by atomics on the output, one for every base.
//@ mutant goal: nothing is in local memory, and every base goes to global memory
//@ let    block = 256
//@ launch count_bases<<<ceil_div(n, block), block>>>(bases, counts, n)

__global__ void count_bases(const unsigned* bases, int* counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    for (int b = 0; b < 4; ++b) counts[b * n + i] = 0;
    unsigned word = bases[i];
    for (int k = 0; k < 16; ++k) {
        atomicAdd(&counts[(word & 3) * n + i], 1);
        word >>= 2;
    }
}
