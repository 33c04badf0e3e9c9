// The block's barrier on both sides of a branch inside a warp.
// Flaw: lanes 0 to 15 of each warp wait on one side, lanes 16 to 31 on the other.
//@ size    n = 64
//@ out     y: i32[n]
//@ launch  arms<<<1, n>>>(y)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void arms(int* y)
{
    __shared__ int s[64];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    s[t] = t;
    if (t % 32 < 16) {
        block.sync();
        y[t] = s[63 - t];
    } else {
        block.sync();
        y[t] = -s[63 - t];
    }
}
