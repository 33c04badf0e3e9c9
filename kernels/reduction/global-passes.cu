// A tree without atomics: the upper half is added to the lower one, one launch per
// round, until one element is left.
// Flaw: every round is a launch, and every partial sum is written to global memory
// and read back in the next round.
//@ scratch work: accumulator[max(1, n)]
//@ launch  copy<element, accumulator><<<max(1, ceil_div(n, block)), block>>>(x, work, n)
//@ for (m = n; m > 1; m = ceil_div(m, 2))
//@   launch halve<accumulator><<<ceil_div(m / 2, block), block>>>(work, m)
//@ end
//@ launch  store<accumulator><<<1, 1>>>(work, sum, n)

#include <cuda_fp16.h>

template <typename T, typename A>
__global__ void copy(const T* x, A* work, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) work[i] = A(x[i]);
}

template <typename A>
__global__ void halve(A* work, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m / 2) work[i] += work[i + (m + 1) / 2];
}

template <typename A>
__global__ void store(const A* work, A* sum, int n)
{
    *sum = n > 0 ? work[0] : A(0);
}
