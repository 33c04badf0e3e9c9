// The ballot is right, and then the lanes in the branch are asked for again.
//@ mutant wrong-result: who is in the branch by now need not be all who will be
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
    if (value > 0 && keepers != 0) {
        int place = __popc(__activemask() & ((1u << lane) - 1));
        kept[i - lane + place] = value;
    }
}
