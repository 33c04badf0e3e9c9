// Gives the first lock back while the second one is taken, and tries again at once.
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

    while (true) {
        if (atomicExch(&lock[giver], 1) == 0) {
            if (atomicExch(&lock[taker], 1) == 0) break;
            atomicExch(&lock[giver], 0);
        }
    }
    __threadfence();
    balance[giver] = balance[giver] - sum;
    balance[taker] = balance[taker] + sum;
    __threadfence();
    atomicExch(&lock[giver], 0);
    atomicExch(&lock[taker], 0);
}
