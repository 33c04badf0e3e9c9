// Stores the four counts of a word side by side.
//@ mutant wrong-result: the layout is a row a base, not a row a word
//@ let    block = 256
//@ launch count_bases<<<ceil_div(n, block), block>>>(bases, counts, n)

__global__ void count_bases(const unsigned* bases, int* counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned word = bases[i];
    #pragma unroll
    for (int b = 0; b < 4; ++b) {
        unsigned differs = word ^ (b * 0x55555555u);
        differs = (differs | differs >> 1) & 0x55555555u;
        counts[4 * i + b] = 16 - __popc(differs);
    }
}
