// A block of 1024 threads, one sample each.
//@ mutant goal: four times the threads, and two bytes under way for each
//@ let    block = 1024
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
    #pragma unroll 4
    for (int i = t; i < n; i += stride) y[i] = tone[x[i]];
}
