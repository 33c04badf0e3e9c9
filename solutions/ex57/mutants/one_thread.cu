// Lets one thread do everything.
//@ mutant goal: there is nobody to wait for, because nobody else works
//@ scratch lock: i32[16]
//@ launch  clear<<<1, 16>>>(lock, balance)
//@ launch  move<<<1, 1>>>(amount, from, further, balance, parcels)

__global__ void clear(int* lock, int* balance)
{
    lock[threadIdx.x] = 0;
    balance[threadIdx.x] = 0;
}

__global__ void move(const int* amount, const int* from, const int* further, int* balance, int parcels)
{
    for (int p = 0; p < parcels; ++p) {
        int sum = 0;
        for (int k = 0; k < 32; ++k) sum += amount[32 * p + k];
        balance[from[p]] -= sum;
        balance[(from[p] + further[p]) % 16] += sum;
    }
}
