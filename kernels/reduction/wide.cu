// Many elements per thread: four loads of 16 bytes each, all in flight before the
// first is needed, and one tree for all of them. The last block, which has no full
// tile, takes its elements one by one.
// Flaw: five shuffles and a hand-written exchange of partial sums are a lot of code
// for "add up the block".
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

#include <cuda_fp16.h>

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
    int t = threadIdx.x;

    for (int k = 16; k > 0; k /= 2)
        own += __shfl_down_sync(0xffffffffu, own, k);
    if (t % 32 == 0) warp_sum[t / 32] = own;
    __syncthreads();

    if (t < 32) {
        own = t < block / 32 ? warp_sum[t] : A(0);
        for (int k = block / 64; k > 0; k /= 2)
            own += __shfl_down_sync(0xffffffffu, own, k);
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
