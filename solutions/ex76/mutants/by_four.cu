// Asks for four bytes at a time.
//@ mutant goal: two samples per request of a lane
//@ let    block = 256
//@ launch map<<<min(sms, ceil_div(n, block)), block, 131072>>>(table, x, y, n)

__global__ void map(const unsigned short* table, const unsigned short* __restrict__ x, unsigned short* y, int n)
{
    extern __shared__ uint4 copy[];
    const unsigned short* tone = reinterpret_cast<const unsigned short*>(copy);
    #pragma unroll 1
    for (int k = threadIdx.x; k < 8192; k += blockDim.x) copy[k] = reinterpret_cast<const uint4*>(table)[k];
    __syncthreads();

    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    const unsigned* from = reinterpret_cast<const unsigned*>(x);
    unsigned* to = reinterpret_cast<unsigned*>(y);
    for (int i = t; i < n / 2; i += stride) to[i] = tone[from[i] & 0xffff] | unsigned(tone[from[i] >> 16]) << 16;
    if (t < n % 2) y[n - 1] = tone[x[n - 1]];
}
