// The upper half is added to the lower one: the first threads are active, and
// neighbouring lanes read neighbouring words.
// Flaw: half of the threads do nothing but load one element.
//@ let     m = max(1, ceil_div(n, block))
//@ scratch partial: accumulator[m]
//@ scratch next: accumulator[m]
//@ launch  total<element, accumulator><<<m, block, block * sizeof(accumulator)>>>(x, partial, n)
//@ for (; m > block; m = ceil_div(m, block))
//@   launch total<accumulator, accumulator><<<ceil_div(m, block), block, block * sizeof(accumulator)>>>(partial, next, m)
//@   swap partial, next
//@ end
//@ launch  total<accumulator, accumulator><<<1, block, block * sizeof(accumulator)>>>(partial, sum, m)

#include <cuda_fp16.h>

template <typename T, typename A>
__global__ void total(const T* x, A* sums, int n)
{
    extern __shared__ A s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;

    s[t] = i < n ? A(x[i]) : A(0);
    __syncthreads();

    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t == 0) sums[blockIdx.x] = s[0];
}
