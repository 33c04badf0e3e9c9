// From register to register: five shuffles add the values of a warp, shared memory
// carries one number per warp across one barrier, and the first warp adds those.
// Flaw: a thread has two elements only. It waits for two small loads, then the
// block spends its time on the tree.
//@ let     m = max(1, ceil_div(n, 2 * block))
//@ scratch partial: accumulator[m]
//@ scratch next: accumulator[m]
//@ launch  total<element, accumulator, block><<<m, block>>>(x, partial, n)
//@ for (; m > 2 * block; m = ceil_div(m, 2 * block))
//@   launch total<accumulator, accumulator, block><<<ceil_div(m, 2 * block), block>>>(partial, next, m)
//@   swap partial, next
//@ end
//@ launch  total<accumulator, accumulator, block><<<1, block>>>(partial, sum, m)

#include <cuda_fp16.h>

// The sum of `own` over the block, in thread 0.
template <typename A, int block>
__device__ A block_sum(A own)
{
    __shared__ A warp_sum[block / 32];
    int t = threadIdx.x;

    for (int k = 16; k > 0; k /= 2)
        own += __shfl_down_sync(0xffffffffu, own, k);
    if (t % 32 == 0) warp_sum[t / 32] = own;
    __syncthreads();

    if (t < 32) {
        own = t < block / 32 ? warp_sum[t] : A(0);
        for (int k = block / 64; k > 0; k /= 2)
            own += __shfl_down_sync(0xffffffffu, own, k);
    }
    return own;
}

template <typename T, typename A, int block>
__global__ void total(const T* x, A* sums, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 2 * block + t;

    A own = i < n ? A(x[i]) : A(0);
    if (i + block < n) own += A(x[i + block]);

    own = block_sum<A, block>(own);
    if (t == 0) sums[blockIdx.x] = own;
}
