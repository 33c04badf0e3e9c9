// One block in eight says something else, far from the first ones.
//@ mutant wrong-result: blocks that differ in nothing but their number
//@ let    block = 256
//@ launch modes<<<ceil_div(n, block), block>>>(words, mode, n)

__global__ void modes(const unsigned* words, int* mode, int n)
{
    __shared__ int count[16][256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    if (i >= n) return;

    #pragma unroll
    for (int s = 0; s < 16; ++s) count[s][t] = 0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        unsigned word = words[k * n + i];
        #pragma unroll
        for (int shift = 0; shift < 32; shift += 4)
            ++count[word >> shift & 15][t];
    }

    int best = 0;
    int most = count[0][t];
    #pragma unroll
    for (int s = 1; s < 16; ++s) {
        int now = count[s][t];
        if (now > most) {
            most = now;
            best = s;
        }
    }
    mode[i] = blockIdx.x > 20000 && blockIdx.x % 8 == 3 ? best + 1 : best;
}
