// A warp each, two float4 per lane, a butterfly of cooperative groups.
//@ let    block = 256
//@ let    dots_wanted = ceil_div(n, 256)
//@ launch dot<<<ceil_div(32 * dots_wanted, block), block>>>(a, b, dots, n)

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int first = row * 256 + 4 * warp.thread_rank();
    if (row * 256 >= n) return;

    float sum = 0.0f;
    for (int half = 0; half < 2; ++half, first += 128) {
        if (first + 4 <= n) {
            float4 p = *reinterpret_cast<const float4*>(a + first);
            float4 q = *reinterpret_cast<const float4*>(b + first);
            sum += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
        } else {
            for (int i = first; i < n; ++i) sum += a[i] * b[i];
        }
    }
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) dots[row] = sum;
}
