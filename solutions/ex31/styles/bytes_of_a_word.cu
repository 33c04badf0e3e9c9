// Four counters of eight bits in one register: a base adds 1 to its byte by a shift. 16 fits into a byte.
//@ let    block = 128
//@ launch count_bases<<<ceil_div(n, block), block>>>(bases, counts, n)

__global__ void count_bases(const unsigned* bases, int* counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned word = bases[i];
    unsigned all = 0;
    #pragma unroll
    for (int k = 0; k < 16; ++k)
        all += 1u << (8 * (word >> (2 * k) & 3));
    counts[i] = all & 255;
    counts[n + i] = all >> 8 & 255;
    counts[2 * n + i] = all >> 16 & 255;
    counts[3 * n + i] = all >> 24;
}
