// One launch whose blocks meet: grid.sync() in place of the ticket.
//@ let     block = 256
//@ let     grid = min(ceil_div(n, 16 * block), sms)
//@ scratch partial: f32[grid]
//@ launch cooperative  loudest<<<grid, block>>>(x, partial, peak, n)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void loudest(const float* x, float* partial, float* peak, int n)
{
    __shared__ float s[8];
    int t = threadIdx.x, first = blockIdx.x * 256 + t;
    float own = 0.0f;
    for (int i = first; i < n / 4; i += gridDim.x * 256) { float4 q = ((const float4*)x)[i]; own = fmaxf(own, fmaxf(fmaxf(fabsf(q.x), fabsf(q.y)), fmaxf(fabsf(q.z), fabsf(q.w)))); }
    if (first < n % 4) own = fmaxf(own, fabsf(x[n - 1 - first]));
    for (int k = 16; k > 0; k /= 2) own = fmaxf(own, __shfl_xor_sync(~0u, own, k));
    if (t % 32 == 0) s[t / 32] = own;
    __syncthreads();
    if (t == 0) { for (int w = 1; w < 8; ++w) own = fmaxf(own, s[w]); partial[blockIdx.x] = own; }
    cg::this_grid().sync();
    if (blockIdx.x == 0 && t < 32) {
        own = 0.0f;
        for (int i = t; i < gridDim.x; i += 32) own = fmaxf(own, partial[i]);
        for (int k = 16; k > 0; k /= 2) own = fmaxf(own, __shfl_xor_sync(~0u, own, k));
        if (t == 0) *peak = own;
    }
}
