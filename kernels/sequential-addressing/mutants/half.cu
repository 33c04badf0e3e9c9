// Keeps the partial sums in half precision, at half the shared memory.
//@ mutant wrong-result: accumulates in half
//@ let    block = 256
//@ launch block_sums<<<ceil_div(n, block), block>>>(x, sums, n)
#include <cuda_fp16.h>

constexpr int block = 256;

__global__ void block_sums(const float* x, float* sums, int n)
{
    __shared__ __half s[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    s[t] = i < n ? __float2half(x[i]) : __float2half(0.0f);
    __syncthreads();

    #pragma unroll 1
    for (int k = block / 2; k > 0; k /= 2) {
        if (t < k) s[t] = __hadd(s[t], s[t + k]);
        __syncthreads();
    }

    if (t == 0) sums[blockIdx.x] = __half2float(s[0]);
}
