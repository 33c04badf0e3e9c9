// A ballot per warp gives the places, one atomic per warp the room for them.
//@ let    block = 256
//@ launch filter<<<ceil_div(n, block), block>>>(x, marked, y, n)

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

__global__ void filter(const unsigned* x, const int* marked, unsigned* y, int n)
{
    __shared__ int list[256];
    __shared__ int found;
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (t == 0) found = 0;
    __syncthreads();

    bool mine = i < n && marked[i] == 7;
    unsigned who = __ballot_sync(0xffffffffu, mine);
    int start = 0;
    if (t % 32 == 0) start = atomicAdd(&found, __popc(who));
    start = __shfl_sync(0xffffffffu, start, 0);
    if (mine) list[start + __popc(who & ((1u << t % 32) - 1))] = i;
    else if (i < n) y[i] = x[i] / 2;
    __syncthreads();

    if (t < found) y[list[t]] = steps(x[list[t]]);
}
