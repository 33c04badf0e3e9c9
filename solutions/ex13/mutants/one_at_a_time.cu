// Uses the instruction for one distance and its sum.
//@ mutant goal: the bytes are still taken out one by one
//@ let    block = 256
//@ launch match<<<ceil_div(n, block), block>>>(signal, pattern, distance, n)

__global__ void match(const unsigned* signal, const unsigned* pattern, int* distance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned sum = 0;
    #pragma unroll
    for (int k = 0; k < 16; ++k)
    {
        unsigned a = signal[i + k], b = pattern[k];
        #pragma unroll
        for (int shift = 0; shift < 32; shift += 8) sum += __sad(int(a >> shift & 255), int(b >> shift & 255), 0u);
    }
    distance[i] = (int)sum;
}
