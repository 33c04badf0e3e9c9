// Lets one thread too many through.
//@ mutant out-of-bounds: i > n lets thread n read past the end
//@ let    block = 256
//@ launch count_bases<<<ceil_div(n, block), block>>>(bases, counts, n)

__global__ void count_bases(const unsigned* bases, int* counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n) return;

    unsigned word = bases[i];
    #pragma unroll
    for (int b = 0; b < 4; ++b) {
        unsigned differs = word ^ (b * 0x55555555u);
        differs = (differs | differs >> 1) & 0x55555555u;
        counts[b * n + i] = 16 - __popc(differs);
    }
}
