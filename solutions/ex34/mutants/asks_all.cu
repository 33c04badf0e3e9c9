// Asks of each symbol which of sixteen it is.
//@ mutant goal: all in registers, and a thousand comparisons
//@ let    block = 256
//@ launch modes<<<ceil_div(n, block), block>>>(words, mode, n)

__global__ void modes(const unsigned* words, int* mode, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int count[16] = {};
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        unsigned word = words[k * n + i];
        #pragma unroll
        for (int shift = 0; shift < 32; shift += 4)
            {
            #pragma unroll
            for (int s = 0; s < 16; ++s) count[s] += (word >> shift & 15) == s;
        }
    }

    int best = 0;
    int most = count[0];
    #pragma unroll
    for (int s = 1; s < 16; ++s)
        if (count[s] > most) {
            most = count[s];
            best = s;
        }
    mode[i] = best;
}
