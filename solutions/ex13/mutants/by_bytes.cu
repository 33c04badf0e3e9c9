// Loads single bytes.
//@ mutant goal: nothing to unpack, and four requests for a word
//@ let    block = 256
//@ launch match<<<ceil_div(n, block), block>>>(signal, pattern, distance, n)

__global__ void match(const unsigned* signal, const unsigned* pattern, int* distance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int sum = 0;
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
        const unsigned char* here = reinterpret_cast<const unsigned char*>(signal + i + k);
        const unsigned char* wanted = reinterpret_cast<const unsigned char*>(pattern + k);
        #pragma unroll
        for (int b = 0; b < 4; ++b) sum = __sad(here[b], wanted[b], sum);
    }
    distance[i] = sum;
}
