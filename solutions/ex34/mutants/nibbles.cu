// Counts in four bits each: sixteen counters in one 64-bit word.
//@ mutant wrong-result: a symbol that comes 16 times overflows into the next
//@ let    block = 256
//@ launch modes<<<ceil_div(n, block), block>>>(words, mode, n)

__global__ void modes(const unsigned* words, int* mode, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned long long count = 0;
    for (int k = 0; k < 8; ++k) {
        unsigned word = words[k * n + i];
        #pragma unroll
        for (int shift = 0; shift < 32; shift += 4)
            count += 1ull << 4 * (word >> shift & 15);
    }

    int best = 0;
    for (int s = 1; s < 16; ++s)
        if ((count >> 4 * s & 15) > (count >> 4 * best & 15)) best = s;
    mode[i] = best;
}
