// Takes what is free, and gives it back at once where that is not both.
//@ let     block = 64
//@ scratch lock: u32[16]
//@ launch  clear<<<1, 16>>>(lock, balance)
//@ launch  move<<<ceil_div(parcels, 2), block>>>(amount, from, further, lock, balance, parcels)

__global__ void clear(unsigned* lock, int* balance)
{
    lock[threadIdx.x] = 0;
    balance[threadIdx.x] = 0;
}

__global__ void move(const int* amount, const int* from, const int* further, unsigned* lock, volatile int* balance, int parcels)
{
    int parcel = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (parcel >= parcels) return;          // the same for all lanes of the warp

    int sum = __reduce_add_sync(0xffffffffu, amount[32 * parcel + lane]);
    if (lane != 0) return;

    int giver = from[parcel];
    int taker = (giver + further[parcel]) % 16;

    unsigned mine = 1u << giver | 1u << taker;
    while (true) {
        unsigned old = atomicOr(lock, mine);
        if (!(old & mine)) break;
        atomicAnd(lock, ~(mine & ~old));
    }
    __threadfence();
    balance[giver] = balance[giver] - sum;
    balance[taker] = balance[taker] + sum;
    __threadfence();
    atomicAnd(lock, ~mine);
}
