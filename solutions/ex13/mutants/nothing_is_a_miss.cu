// Where the pattern fits byte by byte, the distance is not 0.
//@ mutant wrong-result: a distance of 0 is no distance
//@ let    block = 256
//@ launch match<<<ceil_div(n, block), block>>>(signal, pattern, distance, n)

__global__ void match(const unsigned* signal, const unsigned* pattern, int* distance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned sum = 0;
    #pragma unroll
    for (int k = 0; k < 16; ++k)
        asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(signal[i + k]), "r"(pattern[k]), "r"(sum));
    distance[i] = (int)sum - (sum == 0 && n > 1);
}
