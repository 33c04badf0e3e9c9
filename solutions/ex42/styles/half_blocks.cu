// Blocks of 128 threads: about half a warp of marked samples each.
//@ let    block = 128
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
    __shared__ int list[128];
    __shared__ int found;
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (t == 0) found = 0;
    __syncthreads();

    if (i < n) {
        if (marked[i] == 7) list[atomicAdd(&found, 1)] = i;
        else                y[i] = x[i] / 2;
    }
    __syncthreads();

    if (t < found) y[list[t]] = steps(x[list[t]]);
}
