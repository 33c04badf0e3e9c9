// Takes a step more.
//@ mutant wrong-result: the start counts as a step
//@ let    block = 128
//@ let    mask = places - 1
//@ launch walk<<<ceil_div(n, 8 * block), block>>>(next, start, end, n, mask, steps)

__global__ void walk(const int* next, const int* start, int* end, int n, int mask, int steps)
{
    int first = blockIdx.x * 8 * blockDim.x + threadIdx.x;
    int at[8];
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + k * blockDim.x;
        at[k] = i < n ? start[i] & mask : 0;
    }
    for (int s = 0; s <= steps; ++s) {
        #pragma unroll
        for (int k = 0; k < 8; ++k) at[k] = next[at[k]] & mask;
    }
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + k * blockDim.x;
        if (i < n) end[i] = at[k];
    }
}
