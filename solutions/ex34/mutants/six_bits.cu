// Counts in six bits each: eight counters in each of two 64-bit words.
//@ mutant wrong-result: a symbol that occurs 64 times is counted as the next one
//@ let    block = 256
//@ launch modes<<<ceil_div(n, block), block>>>(words, mode, n)

__global__ void modes(const unsigned* words, int* mode, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;

    unsigned long long low = 0, high = 0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        unsigned word = words[k * n + i];
        #pragma unroll
        for (int shift = 0; shift < 32; shift += 4) {
            int s = word >> shift & 15;
            unsigned long long one = 1ull << 6 * (s & 7);
            if (s < 8) low += one; else high += one;
        }
    }

    int best = 0, most = low & 63;
    #pragma unroll
    for (int s = 1; s < 16; ++s) {
        int now = (s < 8 ? low >> 6 * s : high >> 6 * (s - 8)) & 63;
        if (now > most) { most = now; best = s; }
    }
    mode[i] = best;
}
