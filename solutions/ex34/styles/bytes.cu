// Eight counters of eight bits in each of two 64-bit words: the index is a shift.
//@ let    block = 256
//@ launch modes<<<ceil_div(n, block), block>>>(words, mode, n)

__global__ void modes(const unsigned* words, int* mode, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned long long lower = 0, upper = 0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        unsigned word = words[k * n + i];
        #pragma unroll
        for (int shift = 0; shift < 32; shift += 4) {
            unsigned long long one = 1ull << 8 * (word >> shift & 7);
            if (word >> shift & 8) upper += one;
            else lower += one;
        }
    }

    int best = 0;
    unsigned most = lower & 255;
    #pragma unroll
    for (int s = 1; s < 16; ++s) {
        unsigned now = (s < 8 ? lower : upper) >> 8 * (s % 8) & 255;
        if (now > most) {
            most = now;
            best = s;
        }
    }
    mode[i] = best;
}
