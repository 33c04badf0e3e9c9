// Asks of every base for each of the four values, as the third hint says.
//@ let    block = 256
//@ launch count_bases<<<ceil_div(n, block), block>>>(bases, counts, n)

__global__ void count_bases(const unsigned* bases, int* counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int count[4] = {0, 0, 0, 0};
    unsigned word = bases[i];
    for (int k = 0; k < 16; ++k) {
        #pragma unroll
        for (int b = 0; b < 4; ++b) count[b] += (word & 3) == b;
        word >>= 2;
    }
    #pragma unroll
    for (int b = 0; b < 4; ++b) counts[b * n + i] = count[b];
}
