// Counters of a byte in shared memory, four symbols to a word: a quarter of the
// room, and every lane in its own bank still.
//@ let    block = 128
//@ launch modes<<<ceil_div(n, block), block>>>(words, mode, n)

__global__ void modes(const unsigned* words, int* mode, int n)
{
    __shared__ unsigned count[4][128];
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t;
    if (i >= n) return;

    for (int s = 0; s < 4; ++s) count[s][t] = 0;
    for (int k = 0; k < 8; ++k) {
        unsigned word = words[k * n + i];
        #pragma unroll
        for (int shift = 0; shift < 32; shift += 4) {
            unsigned symbol = word >> shift & 15;
            count[symbol / 4][t] += 1u << 8 * (symbol % 4);
        }
    }

    int best = 0, most = -1;
    #pragma unroll
    for (int s = 0; s < 16; ++s) {
        int now = count[s / 4][t] >> 8 * (s % 4) & 255;
        if (now > most) {
            most = now;
            best = s;
        }
    }
    mode[i] = best;
}
