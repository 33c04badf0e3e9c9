// One block does everything, and a multiprocessor of 132 runs it.
//@ mutant slow: all others stand idle: 0.03x on an H200
//@ launch match<<<1, 1024>>>(signal, pattern, distance, n)

__global__ void match(const unsigned* signal, const unsigned* pattern, int* distance, int n)
{
    #pragma unroll 1
    for (int i = threadIdx.x; i < n; i += 1024) {
        unsigned sum = 0;
        #pragma unroll
        for (int k = 0; k < 16; ++k)
            asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(signal[i + k]), "r"(pattern[k]), "r"(sum));
        distance[i] = (int)sum;
    }
}
