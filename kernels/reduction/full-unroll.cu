// The block size is a template argument: the compiler evaluates every
// `if (block >= ...)`, and straight-line code is left. There is one kernel for each
// block size; the launch line names the one it wants. A host program that learns
// the block size only when it runs has a dispatcher in that place:
//
//     switch (block) {
//         case 1024: total<T, A, 1024><<<grid, 1024>>>(x, sums, n); break;
//         case 512:  total<T, A, 512><<<grid, 512>>>(x, sums, n); break;
//         ...
//     }
//
// Flaw: in every round each value is stored to shared memory and loaded again,
// although the lanes of a warp could exchange it directly.
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

template <typename T, typename A, int block>
__global__ void total(const T* x, A* sums, int n)
{
    __shared__ A s[block];
    int t = threadIdx.x;
    int i = blockIdx.x * 2 * block + t;

    A own = i < n ? A(x[i]) : A(0);
    if (i + block < n) own += A(x[i + block]);
    s[t] = own;
    __syncthreads();

    if (block >= 1024) { if (t < 512) s[t] += s[t + 512]; __syncthreads(); }
    if (block >= 512)  { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
    if (block >= 256)  { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
    if (block >= 128)  { if (t < 64)  s[t] += s[t + 64];  __syncthreads(); }

    if (t >= 32) return;
    if (block >= 64) s[t] += s[t + 32];
    __syncwarp();
    if (t < 16) s[t] += s[t + 16];
    __syncwarp();
    if (t < 8) s[t] += s[t + 8];
    __syncwarp();
    if (t < 4) s[t] += s[t + 4];
    __syncwarp();
    if (t < 2) s[t] += s[t + 2];
    __syncwarp();
    if (t == 0) sums[blockIdx.x] = s[0] + s[1];
}
