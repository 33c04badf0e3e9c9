// The most frequent of 64 symbols, for each of n messages; of equally frequent ones
// the smallest. A symbol has four bits, a word has eight symbols.
// Flaw: 16 counters, indexed by data. They live in local memory, and lanes with
// different symbols touch different lines of it.
//@ let    block = 256
//@ launch modes<<<ceil_div(n, block), block>>>(words, mode, n)

__global__ void modes(const unsigned* words, int* mode, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int count[16] = {};
    for (int k = 0; k < 8; ++k) {
        unsigned word = words[k * n + i];
        #pragma unroll 1
        for (int left = 8; left > 0; --left, word >>= 4) ++count[word & 15];
    }

    int best = 0;
    for (int s = 1; s < 16; ++s)
        if (count[s] > count[best]) best = s;
    mode[i] = best;
}
