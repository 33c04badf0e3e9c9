// The same with cooperative groups, which name the threads that take part: a warp
// is a tile of the block, and cg::reduce adds its values with the best instructions
// available (for integers one REDUX).
// Flaw: a launch for every level of the tree, and as many blocks as the array has
// tiles: each one starts, loads, adds, ends.
//@ let     tile = block * (64 / sizeof(element))
//@ let     again = block * (64 / sizeof(accumulator))
//@ let     m = max(1, ceil_div(n, tile))
//@ scratch partial: accumulator[m]
//@ scratch next: accumulator[m]
//@ launch  total<element, accumulator, block><<<m, block>>>(x, partial, n)
//@ for (; m > again; m = ceil_div(m, again))
//@   launch total<accumulator, accumulator, block><<<ceil_div(m, again), block>>>(partial, next, m)
//@   swap partial, next
//@ end
//@ launch  total<accumulator, accumulator, block><<<1, block>>>(partial, sum, m)

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

// 16 bytes of elements: one load.
template <typename T>
struct alignas(16) Vector {
    static constexpr int width = 16 / sizeof(T);
    T v[width];
};

template <typename T, typename A>
__device__ A sum_of(const Vector<T>& four)
{
    A sum = A(four.v[0]);
    for (int e = 1; e < Vector<T>::width; ++e) sum += A(four.v[e]);
    return sum;
}

// The sum of `own` over the block, in thread 0.
template <typename A, int block>
__device__ A block_sum(A own)
{
    __shared__ A warp_sum[block / 32];
    cg::thread_block all = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(all);

    own = cg::reduce(warp, own, cg::plus<A>());
    if (warp.thread_rank() == 0) warp_sum[warp.meta_group_rank()] = own;
    all.sync();

    if (warp.meta_group_rank() == 0) {
        own = warp.thread_rank() < block / 32 ? warp_sum[warp.thread_rank()] : A(0);
        own = cg::reduce(warp, own, cg::plus<A>());
    }
    return own;
}

template <typename T, typename A, int block>
__global__ void total(const T* x, A* sums, int n)
{
    constexpr int loads = 4;
    constexpr int tile = loads * block * Vector<T>::width;
    int t = threadIdx.x;
    int first = blockIdx.x * tile;

    A own = 0;
    if (first + tile <= n) {
        const Vector<T>* vectors = reinterpret_cast<const Vector<T>*>(x + first);
        Vector<T> v[loads];
        for (int k = 0; k < loads; ++k) v[k] = vectors[k * block + t];
        for (int k = 0; k < loads; ++k) own += sum_of<T, A>(v[k]);
    } else {
        for (int i = first + t; i < n; i += block) own += A(x[i]);
    }

    own = block_sum<A, block>(own);
    if (t == 0) sums[blockIdx.x] = own;
}
