// Leaves out the launch that clears.
//@ mutant wrong-result: the places behind the kept elements are never written
//@ let    block = 128
//@ launch compact<<<ceil_div(n, block), block>>>(x, kept, n)

__global__ void compact(const int* x, int* kept, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int value = i < n ? x[i] : 0;

    unsigned keepers = __ballot_sync(0xffffffffu, value > 0);
    if (value > 0) {
        int place = __popc(keepers & ((1u << lane) - 1));
        kept[i - lane + place] = value;
    }
}
