// One warp adds the last 64 values alone. __syncwarp() replaces the barrier: the
// lanes converge, and see what the others wrote. Other warps are done.
// Flaw: the block size is known at launch only, so the other rounds remain a loop
// with its counter and its tests.
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

    for (int k = blockDim.x / 2; k > 32; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }

    if (t >= 32) return;
    #pragma unroll
    for (int k = 32; k > 0; k /= 2) {
        if (t < k && t + k < blockDim.x) s[t] += s[t + k];
        __syncwarp();
    }

    if (t == 0) sums[blockIdx.x] = s[0];
}
