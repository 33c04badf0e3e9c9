// Adds in half precision.
//@ mutant wrong-result: accumulates in half
//@ let    block = 128
//@ launch column_sums<<<ceil_div(cols, block), block>>>(m, sums, rows, cols)
#include <cuda_fp16.h>

__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    __half sum = __float2half(0.0f);
    #pragma unroll 8
    for (int r = 0; r < rows; ++r)
        sum = __hadd(sum, __float2half(m[(long long)r * cols + c]));

    sums[c] = __half2float(sum);
}
