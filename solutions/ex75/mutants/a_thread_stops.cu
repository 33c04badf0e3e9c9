// One thread of each block stops storing, far from the first elements.
//@ mutant wrong-result: a part of each round that nobody writes
//@ let    block = 1024
//@ let    grid  = min(ceil_div(n, block), sms * active_blocks(tones, block, 4 * 24576))
//@ launch tones<<<grid, block, 4 * 24576>>>(table, x, y, n)

__global__ void tones(const float4* table, const int* x, float* y, int n)
{
    extern __shared__ float4 copy[];
    const float* tone = reinterpret_cast<const float*>(copy);
    for (int k = threadIdx.x; k < 6144; k += blockDim.x) copy[k] = table[k];
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (i < 30000000 || threadIdx.x != 313) y[i] = tone[x[i]];
}
