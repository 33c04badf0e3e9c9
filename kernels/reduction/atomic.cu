// Every thread adds its element to the result with an atomic.
// Flaw: all threads update the same word, and atomics on one word are executed one
// after the other, n of them in a row.
//@ launch clear<accumulator><<<1, 1>>>(sum)
//@ launch total<element, accumulator><<<max(1, ceil_div(n, block)), block>>>(x, sum, n)

#include <cuda_fp16.h>

template <typename A>
__global__ void clear(A* sum)
{
    *sum = 0;
}

template <typename T, typename A>
__global__ void total(const T* x, A* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, A(x[i]));
}
