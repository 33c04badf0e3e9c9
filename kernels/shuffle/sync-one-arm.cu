// The block's barrier on one side of a branch, and once more after it.
// Flaw: the threads of the first warp wait at one barrier and those of the second
// at the other.
//@ size    n = 64
//@ out     y: i32[n]
//@ launch  arm<<<1, n>>>(y)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void arm(int* y)
{
    __shared__ int s[64];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    s[t] = t;
    if (t < 32)
        block.sync();
    s[t] += 1;
    block.sync();
    y[t] = s[63 - t];
}
