// Uses half precision, which is faster still, and too coarse: the answer is good to three digits only.
//@ mutant wrong-result: accumulates in half
//@ let    block = 256
//@ launch cool<<<ceil_div(n, block), block>>>(32, before, after, n)
#include <cuda_fp16.h>

__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    __half t = __float2half(before[i]);
    for (int k = 0; k < steps; ++k)
        t = __hfma(__float2half(0.1f), __hsub(__float2half(20.0f), t), t);

    after[i] = __half2float(t);
}
