// A vote of the whole warp in front of the branch says who is on the list.
//@ let    block = 128
//@ scratch list: i32[n]
//@ scratch found: i32[1]
//@ launch clear<<<ceil_div(n, block), block>>>(y, found, n)
//@ launch collect<<<ceil_div(n, block), block>>>(x, list, found, n)
//@ launch square<<<ceil_div(n, block), block>>>(x, list, found, y)

__global__ void clear(int* y, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0;
    if (i == 0) *found = 0;
}

__global__ void collect(const int* x, int* list, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool mine = i < n && x[i] > 0;
    unsigned who = __ballot_sync(0xffffffffu, mine);
    int start = 0;
    if (threadIdx.x % 32 == 0 && who != 0) start = atomicAdd(found, __popc(who));
    start = __shfl_sync(0xffffffffu, start, 0);
    if (mine) list[start + __popc(who & ((1u << threadIdx.x % 32) - 1))] = i;
}

__global__ void square(const int* x, const int* list, const int* found, int* y)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < *found) y[list[j]] = x[list[j]] * x[list[j]];
}
