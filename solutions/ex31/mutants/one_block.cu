// One block does everything, and a multiprocessor of 132 runs it.
//@ mutant slow: all others stand idle: 0.18x on an H200
//@ launch count_bases<<<1, 1024>>>(bases, counts, n)

__global__ void count_bases(const unsigned* bases, int* counts, int n)
{
    #pragma unroll 1
    for (int i = threadIdx.x; i < n; i += 1024) {
        unsigned word = bases[i];
        #pragma unroll
        for (int b = 0; b < 4; ++b) {
            unsigned differs = word ^ (b * 0x55555555u);
            differs = (differs | differs >> 1) & 0x55555555u;
            counts[b * n + i] = 16 - __popc(differs);
        }
    }
}
