// A scan of the warp by shuffles in place of a ballot, and zeros stored by the lanes themselves.
//@ let    block = 128
//@ launch compact<<<ceil_div(n, block), block>>>(x, kept, n)

__global__ void compact(const int* x, int* kept, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int value = i < n ? x[i] : 0;
    bool keep = value > 0;

    unsigned keepers = __ballot_sync(0xffffffffu, keep);
    int before = __popc(keepers & ((1u << lane) - 1));
    // Those that do not stay fill up the back.
    int place = keep ? before : __popc(keepers) + lane - before;
    if (i < n && i - lane + place < n) kept[i - lane + place] = keep ? value : 0;
}
