// Keep the positive elements, with a ballot of the whole warp before it divides.
// Every lane takes part, those beyond the end included, so the full mask is true by construction and the answer is the
// same for all, whenever they arrive.
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
        int place = __popc(keepers & ((1u << lane) - 1));
        kept[i - lane + place] = value;
    }
}
