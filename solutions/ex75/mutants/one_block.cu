// Lets one block do it all.
//@ mutant goal: one table, and 131 SMs without work
//@ let    block = 1024
//@ launch tones<<<1, block, 4 * 24576>>>(table, x, y, n)

__global__ void tones(const float4* table, const int* x, float* y, int n)
{
    extern __shared__ float4 copy[];
    const float* tone = reinterpret_cast<const float*>(copy);
    for (int k = threadIdx.x; k < 6144; k += blockDim.x) copy[k] = table[k];
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = tone[x[i]];
}
