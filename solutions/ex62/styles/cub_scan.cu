// CUB's scan of a block, four elements per thread. It has one bank conflict for each block.
//@ launch running<<<ceil_div(n, 256), 64>>>(x, y, n)
#include <cub/block/block_scan.cuh>

__global__ void running(const float* x, float* y, int n)
{
    using Scan = cub::BlockScan<float, 64>;
    __shared__ typename Scan::TempStorage scan;
    int first = 4 * (blockIdx.x * 64 + threadIdx.x);
    bool full = first + 4 <= n;

    float v[4] = {};
    if (full) {
        float4 four = *reinterpret_cast<const float4*>(x + first);
        v[0] = four.x; v[1] = four.y; v[2] = four.z; v[3] = four.w;
    } else {
        for (int k = 0; k < 4; ++k)
            if (first + k < n) v[k] = x[first + k];
    }

    Scan(scan).InclusiveSum(v, v);

    if (full) *reinterpret_cast<float4*>(y + first) = make_float4(v[0], v[1], v[2], v[3]);
    for (int k = 0; k < 4; ++k)
        if (!full && first + k < n) y[first + k] = v[k];
}
