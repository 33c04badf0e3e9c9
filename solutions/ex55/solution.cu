// A ballot before the branch, executed by all 32 lanes, tells which take part, so the mask is the same for all of them.
//@ let    block = 128
//@ launch behind<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void behind(const int* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = i < n ? x[i] : -1;
    int distance = -1;
    unsigned takers = __ballot_sync(0xffffffffu, own >= 0);
    if (own >= 0) distance = __reduce_max_sync(takers, own) - own;
    if (i < n) y[i] = distance;
}
