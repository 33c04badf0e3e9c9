// The block's part of the signal and the pattern in shared memory.
//@ let    block = 256
//@ launch match<<<ceil_div(n, block), block>>>(signal, pattern, distance, n)

__global__ void match(const unsigned* signal, const unsigned* pattern, int* distance, int n)
{
    __shared__ unsigned part[256 + 15], wanted[16];
    int first = blockIdx.x * 256;
    for (int k = threadIdx.x; k < 256 + 15; k += 256)
        if (first + k < n + 15) part[k] = signal[first + k];
    if (threadIdx.x < 16) wanted[threadIdx.x] = pattern[threadIdx.x];
    __syncthreads();
    int i = first + threadIdx.x;
    if (i >= n) return;

    unsigned sum = 0;
    for (int k = 0; k < 16; ++k) sum += __vsadu4(part[threadIdx.x + k], wanted[k]);
    distance[i] = (int)sum;
}
