// What a warp can do in one instruction, a kernel each.
//@ in     x: i32[32] = integers(0, 9)
//@ out    y: i32[320]
//@ launch up<<<1, 32>>>(x, y)
//@ launch down<<<1, 32>>>(x, y + 32)
//@ launch across<<<1, 32>>>(x, y + 64)
//@ launch from<<<1, 32>>>(x, y + 96)
//@ launch votes<<<1, 32>>>(x, y + 128)
//@ launch some<<<1, 32>>>(x, y + 160)
//@ launch same<<<1, 32>>>(x, y + 192)
//@ launch sum<<<1, 32>>>(x, y + 224)
//@ launch quarters<<<1, 32>>>(x, y + 256)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr unsigned full = 0xffffffffu;

__global__ void up(const int* x, int* y)
{
    int v = x[threadIdx.x];
    y[threadIdx.x] = __shfl_up_sync(full, v, 1);
}
__global__ void down(const int* x, int* y)
{
    int v = x[threadIdx.x];
    y[threadIdx.x] = __shfl_down_sync(full, v, 1);
}
__global__ void across(const int* x, int* y)
{
    int v = x[threadIdx.x];
    y[threadIdx.x] = __shfl_xor_sync(full, v, 1);
}
__global__ void from(const int* x, int* y)
{
    int v = x[threadIdx.x];
    y[threadIdx.x] = __shfl_sync(full, v, v);
}
__global__ void votes(const int* x, int* y)
{
    int v = x[threadIdx.x];
    y[threadIdx.x] = __ballot_sync(full, v > 4);
}
__global__ void some(const int* x, int* y)
{
    int v = x[threadIdx.x];
    y[threadIdx.x] = __any_sync(full, v > 4);
}
__global__ void same(const int* x, int* y)
{
    int v = x[threadIdx.x];
    y[threadIdx.x] = __match_any_sync(full, v);
}
__global__ void sum(const int* x, int* y)
{
    int v = x[threadIdx.x];
    y[threadIdx.x] = __reduce_add_sync(full, v);
}
__global__ void quarters(const int* x, int* y)
{
    auto quarter = cg::tiled_partition<8>(cg::this_thread_block());
    int v = x[threadIdx.x];
    for (int k = 4; k > 0; k /= 2) v += quarter.shfl_down(v, k);
    y[threadIdx.x] = v;
}
