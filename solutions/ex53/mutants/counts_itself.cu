// Counts itself among those before it.
//@ mutant wrong-result: off by one, every place is one too far
//@ let    block = 128
//@ launch clear<<<ceil_div(n, block), block>>>(kept, n)
//@ launch compact<<<ceil_div(n, block), block>>>(x, kept, n)

__global__ void clear(int* kept, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) kept[i] = 0;
}

__global__ void compact(const int* x, int* kept, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int value = i < n ? x[i] : 0;

    unsigned keepers = __ballot_sync(0xffffffffu, value > 0);
    if (value > 0) {
        int place = __popc(keepers & ((2u << lane) - 1));
        kept[min(i - lane + place, n - 1)] = value;
    }
}
