// A list of the whole grid, and a second launch over it: the other half of a partition.
//@ mutant goal: every warp draws its places from one counter, and the list goes out to memory: half as fast as the starter on an H200
//@ let    block = 256
//@ scratch list: i32[n]
//@ scratch found: i32[1]
//@ launch none<<<1, 1>>>(found)
//@ launch filter<<<ceil_div(n, block), block>>>(x, marked, y, list, found, n)
//@ launch few<<<ceil_div(n, block), block>>>(x, y, list, found)

__device__ unsigned steps(unsigned s)
{
    #pragma unroll 1
    for (int k = 0; k < 48; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    return s;
}

__global__ void none(int* found) { *found = 0; }

__global__ void filter(const unsigned* x, const int* marked, unsigned* y, int* list, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool mine = i < n && marked[i] == 7;
    unsigned who = __ballot_sync(0xffffffffu, mine);
    int start = 0;
    if (threadIdx.x % 32 == 0 && who != 0) start = atomicAdd(found, __popc(who));
    start = __shfl_sync(0xffffffffu, start, 0);
    if (mine) list[start + __popc(who & ((1u << threadIdx.x % 32) - 1))] = i;
    else if (i < n) y[i] = x[i] / 2;
}

__global__ void few(const unsigned* x, unsigned* y, const int* list, const int* found)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < *found) y[list[j]] = steps(x[list[j]]);
}
