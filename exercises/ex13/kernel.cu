// Where does a pattern of 64 bytes fit? For every place of a signal: the sum of the
// distances between the pattern's bytes and the signal's. A word holds four bytes.
// Flaw: every byte is shifted down, masked, subtracted, made positive and added
// separately.
//@ let    block = 256
//@ launch match<<<ceil_div(n, block), block>>>(signal, pattern, distance, n)

__global__ void match(const unsigned* signal, const unsigned* pattern, int* distance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int sum = 0;
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
        unsigned here = signal[i + k];
        unsigned wanted = pattern[k];
        #pragma unroll
        for (int shift = 0; shift < 32; shift += 8)
            sum += abs(int(here >> shift & 255) - int(wanted >> shift & 255));
    }
    distance[i] = sum;
}
