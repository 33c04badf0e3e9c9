// A symbol that has come 32 times is taken at once.
//@ mutant wrong-result: where two symbols come 32 times each, the smaller one is asked for
//@ let    block = 256
//@ launch modes<<<ceil_div(n, block), block>>>(words, mode, n)

__global__ void modes(const unsigned* words, int* mode, int n)
{
    __shared__ int count[16][256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    if (i >= n) return;

    for (int s = 0; s < 16; ++s) count[s][t] = 0;
    for (int k = 0; k < 8; ++k) {
        unsigned word = words[k * n + i];
        #pragma unroll
        for (int j = 0; j < 32; j += 4) {
            int s = word >> j & 15;
            if (++count[s][t] >= 32) {
                mode[i] = s;
                return;
            }
        }
    }

    int best = 0;
    for (int s = 1; s < 16; ++s)
        if (count[s][t] > count[best][t]) best = s;
    mode[i] = best;
}
