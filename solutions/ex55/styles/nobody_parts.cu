// All 32 lanes take part; a negative value is never the best of a warp that has another.
//@ let    block = 128
//@ launch behind<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void behind(const int* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = i < n ? x[i] : -1;
    int distance = -1;
    int best = __reduce_max_sync(0xffffffffu, own);
    if (own >= 0) distance = best - own;
    if (i < n) y[i] = distance;
}
