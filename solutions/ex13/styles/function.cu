// By the function of CUDA's header, and a loop that the compiler unrolls as it
// likes.
//@ let    block = 256
//@ launch match<<<ceil_div(n, block), block>>>(signal, pattern, distance, n)

__global__ void match(const unsigned* signal, const unsigned* pattern, int* distance, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned sum = 0;
    for (int k = 0; k < 16; ++k)
        sum += __vsadu4(signal[i + k], pattern[k]);
    distance[i] = (int)sum;
}
