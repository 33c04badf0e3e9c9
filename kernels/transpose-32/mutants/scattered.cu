// Stores columns without exchanging anything.
//@ mutant goal: right, and every store touches 32 sectors
//@ launch transpose<<<matrices, 32>>>(x, y)

__global__ void transpose(const float* x, float* y)
{
    int lane = threadIdx.x;
    size_t first = (size_t)blockIdx.x * 1024;
    for (int k = 0; k < 32; ++k) y[first + 32 * lane + k] = x[first + 32 * k + lane];
}
