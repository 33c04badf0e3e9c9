// Keep the positive elements: within every 32, they move to the front, in order; the rest stays zero.
// Flaw: a lane asks which lanes are in the branch at this moment. Lanes that arrive later ask again, and
// get positions that are taken.
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

    if (value > 0) {
        unsigned keepers = __activemask();
        int place = __popc(keepers & ((1u << lane) - 1));
        kept[i - lane + place] = value;
    }
}
