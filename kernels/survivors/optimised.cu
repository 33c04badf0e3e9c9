// The same list. Lanes that are together form a group; one of them reserves
// positions for all, and the others use their rank. The kernel asks for the group
// once. Lanes that come later form another group with other positions, so every
// order is right.
//@ let    block = 128
//@ scratch list: i32[n]
//@ scratch found: i32[1]
//@ launch clear<<<ceil_div(n, block), block>>>(y, found, n)
//@ launch collect<<<ceil_div(n, block), block>>>(x, list, found, n)
//@ launch square<<<ceil_div(n, block), block>>>(x, list, found, y)

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void clear(int* y, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0;
    if (i == 0) *found = 0;
}

__global__ void collect(const int* x, int* list, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0) {
        cg::coalesced_group here = cg::coalesced_threads();
        int start = 0;
        if (here.thread_rank() == 0) start = atomicAdd(found, here.size());
        list[here.shfl(start, 0) + here.thread_rank()] = i;
    }
}

__global__ void square(const int* x, const int* list, const int* found, int* y)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < *found) y[list[j]] = x[list[j]] * x[list[j]];
}
