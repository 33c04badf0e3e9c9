// CUB's reduction over pairs packed into a word: the value above, and below it the place, the smaller the larger.
#include <cub/cub.cuh>
//@ let     block = 256
//@ launch first_largest<<<ceil_div(n, block), block>>>(x, first, n)
constexpr int block = 256;
struct Max { __device__ long long operator()(long long a, long long b) const { return a > b ? a : b; } };
__global__ void first_largest(const int* x, int* first, int n)
{
    using Reduce = cub::BlockReduce<long long, block>;
    __shared__ typename Reduce::TempStorage storage;
    int i = blockIdx.x * block + threadIdx.x;
    long long mine = i < n ? (long long)x[i] * 4294967296LL + (0x7fffffff - i) : (long long)0x8000000000000000ULL;
    long long best = Reduce(storage).Reduce(mine, Max{});
    if (threadIdx.x == 0) first[blockIdx.x] = 0x7fffffff - (int)(unsigned)(best & 0xffffffff);
}
