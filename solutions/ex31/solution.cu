// Base counts without an index: ask of every base "is it a C?" instead of "which counter is it?".
// The loop now runs over the four bases, which are constants once it is unrolled, so each counter is a register. And all 16
// questions are one XOR: a base equal to b leaves two zero bits, and a population count counts the pairs that are not.
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
        counts[b * n + i] = 16 - __popc(differs);
    }
}
