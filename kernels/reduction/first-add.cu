// Each thread adds two elements while it loads them, so that all threads do at
// least one addition, and half as many blocks are needed.
// Flaw: the last rounds are the work of one warp, and still the whole block waits
// at a barrier in each.
//@ let     m = max(1, ceil_div(n, 2 * block))
//@ scratch partial: accumulator[m]
//@ scratch next: accumulator[m]
//@ launch  total<element, accumulator><<<m, block, block * sizeof(accumulator)>>>(x, partial, n)
//@ for (; m > 2 * block; m = ceil_div(m, 2 * block))
//@   launch total<accumulator, accumulator><<<ceil_div(m, 2 * block), block, block * sizeof(accumulator)>>>(partial, next, m)
//@   swap partial, next
//@ end
//@ launch  total<accumulator, accumulator><<<1, block, block * sizeof(accumulator)>>>(partial, sum, m)

#include <cuda_fp16.h>

template <typename T, typename A>
__global__ void total(const T* x, A* sums, int n)
{
    extern __shared__ A s[];
    int t = threadIdx.x;
    int i = blockIdx.x * 2 * blockDim.x + t;

    A own = i < n ? A(x[i]) : A(0);
    if (i + blockDim.x < n) own += A(x[i + blockDim.x]);
    s[t] = own;
    __syncthreads();

    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t == 0) sums[blockIdx.x] = s[0];
}
