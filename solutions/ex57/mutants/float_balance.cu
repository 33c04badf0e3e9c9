// Balances are computed in single precision.
//@ mutant wrong-result: beyond 2^24 single precision leaves integers out
//@ let     block = 64
//@ scratch lock: i32[16]
//@ launch  clear<<<1, 16>>>(lock, balance)
//@ launch  move<<<ceil_div(parcels, 2), block>>>(amount, from, further, lock, balance, parcels)

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
    balance[giver] = (int)((float)balance[giver] - (float)sum);
    balance[taker] = (int)((float)balance[taker] + (float)sum);
    __threadfence();
    atomicExch(&lock[taker], 0);
    atomicExch(&lock[giver], 0);
}
