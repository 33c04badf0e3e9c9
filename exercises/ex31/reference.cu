// The oracle: a thread for each base and word, one comparison after the other.
//@ launch count_bases_reference<<<(ceil_div(n, 64), 4), 64>>>(bases, counts, n)

__global__ void count_bases_reference(const unsigned* bases, int* counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned b = blockIdx.y;
    if (i >= n) return;

    int count = 0;
    for (int k = 0; k < 16; ++k) {
        unsigned base = (bases[i] >> (2 * k)) % 4;
        if (base == b) count += 1;
    }
    counts[b * n + i] = count;
}
