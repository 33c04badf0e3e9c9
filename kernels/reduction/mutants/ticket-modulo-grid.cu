// Never sets the ticket back, and takes it modulo the grid.
//@ mutant race: after a launch of another grid the last ticket is not the last block's
//@ let     grid = max(1, min(ceil_div(n, block * (16 / sizeof(element))), sms * max_threads_per_sm / block))
//@ scratch partial: accumulator[grid]
//@ launch  total<element, accumulator, block><<<grid, block>>>(x, partial, sum, n)

#include <cuda_fp16.h>

__device__ unsigned ticket = 0;

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

// The sum of this thread's share of n elements: 16 bytes at a time, whole grids
// apart; what is left over one by one.
template <typename T, typename A, int block>
__device__ A share(const T* x, int n)
{
    const Vector<T>* vectors = reinterpret_cast<const Vector<T>*>(x);
    int whole = n / Vector<T>::width;
    int threads = gridDim.x * block;
    int t = blockIdx.x * block + threadIdx.x;

    A own = 0;
    #pragma unroll 4
    for (int i = t; i < whole; i += threads) own += sum_of<T, A>(vectors[i]);

    int left = whole * Vector<T>::width + t;
    if (left < n) own += A(x[left]);
    return own;
}

template <typename T, typename A, int block>
__global__ void total(const T* x, A* partial, A* sum, int n)
{
    __shared__ bool last;
    int t = threadIdx.x;

    A own = block_sum<A, block>(share<T, A, block>(x, n));
    if (t == 0) {
        partial[blockIdx.x] = own;
        __threadfence();
        last = (atomicAdd(&ticket, 1u) + 1) % gridDim.x == 0;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;

    own = 0;
    for (int i = t; i < gridDim.x; i += block) own += partial[i];
    own = block_sum<A, block>(own);
    if (t == 0) *sum = own;
}
