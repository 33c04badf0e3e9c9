// The locks are given back by releases, which need no fence of their own.
//@ let     block = 64
//@ scratch lock: i32[16]
//@ launch  clear<<<1, 16>>>(lock, balance)
//@ launch  move<<<ceil_div(parcels, 2), block>>>(amount, from, further, lock, balance, parcels)

#include <cuda/atomic>

__global__ void clear(int* lock, int* balance)
{
    lock[threadIdx.x] = 0;
    balance[threadIdx.x] = 0;
}

__global__ void move(const int* amount, const int* from, const int* further, int* lock, volatile int* balance, int parcels)
{
    int parcel = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (parcel >= parcels) return;          // the same for all lanes of the warp

    int sum = __reduce_add_sync(0xffffffffu, amount[32 * parcel + lane]);
    if (lane != 0) return;

    int giver = from[parcel];
    int taker = (giver + further[parcel]) % 16;

    while (atomicCAS(&lock[min(giver, taker)], 0, 1) != 0) {}
    while (atomicCAS(&lock[max(giver, taker)], 0, 1) != 0) {}
    __threadfence();
    balance[giver] = balance[giver] - sum;
    balance[taker] = balance[taker] + sum;
    cuda::atomic_ref<int, cuda::thread_scope_device>(lock[taker]).store(0, cuda::memory_order_release);
    cuda::atomic_ref<int, cuda::thread_scope_device>(lock[giver]).fetch_and(0, cuda::memory_order_release);
}
