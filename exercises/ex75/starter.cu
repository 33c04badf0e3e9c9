// Numbers are looked up in a table of 96 KB, which is in shared memory because the indices are random.
// Flaw: every block loads the whole table for a thousand numbers of its own.
//@ let    block = 1024
//@ launch tones<<<ceil_div(n, block), block, 4 * 24576>>>(table, x, y, n)

__global__ void tones(const float4* table, const int* x, float* y, int n)
{
    extern __shared__ float4 copy[];
    const float* tone = reinterpret_cast<const float*>(copy);
    for (int k = threadIdx.x; k < 6144; k += blockDim.x) copy[k] = table[k];
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = tone[x[i]];
}
