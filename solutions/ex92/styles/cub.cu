// CUB's block reduction, once for each end of the range.
//@ launch block_ranges<block><<<ceil_div(n, block), block>>>(x, ranges, n)

#include <cub/cub.cuh>

struct Least {
    __device__ int operator()(int a, int b) const { return min(a, b); }
};

struct Most {
    __device__ int operator()(int a, int b) const { return max(a, b); }
};

template <int block>
__global__ void block_ranges(const int* x, int* ranges, int n)
{
    using Reduce = cub::BlockReduce<int, block>;
    __shared__ typename Reduce::TempStorage low, high;
    int value = x[min(int(blockIdx.x) * block + int(threadIdx.x), n - 1)];
    int least = Reduce(low).Reduce(value, Least{});
    int most = Reduce(high).Reduce(value, Most{});
    if (threadIdx.x == 0) ranges[blockIdx.x] = most - least;
}
