// A row of shared memory for each thread.
//@ mutant goal: every second thread has its counter of a symbol in the same bank
//@ let    block = 256
//@ launch modes<<<ceil_div(n, block), block>>>(words, mode, n)

__global__ void modes(const unsigned* words, int* mode, int n)
{
    __shared__ int count[256][16];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    if (i >= n) return;

    #pragma unroll
    for (int s = 0; s < 16; ++s) count[t][s] = 0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        unsigned word = words[k * n + i];
        #pragma unroll
        for (int shift = 0; shift < 32; shift += 4)
            ++count[t][word >> shift & 15];
    }

    int best = 0;
    int most = count[t][0];
    #pragma unroll
    for (int s = 1; s < 16; ++s) {
        int now = count[t][s];
        if (now > most) {
            most = now;
            best = s;
        }
    }
    mode[i] = best;
}
