// The ballot is right, and then the mask is asked for again.
//@ mutant wrong-result: who is in the branch by now need not be all who will be
//@ let    block = 128
//@ launch behind<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void behind(const int* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = i < n ? x[i] : -1;
    int distance = -1;
    unsigned takers = __ballot_sync(0xffffffffu, own >= 0);
    if (own >= 0 && takers) distance = __reduce_max_sync(__activemask(), own) - own;
    if (i < n) y[i] = distance;
}
