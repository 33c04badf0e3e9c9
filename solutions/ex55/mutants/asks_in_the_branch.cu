// Votes inside the branch.
//@ mutant wrong-result: a ballot of those who are there is no better than asking who is there
//@ let    block = 128
//@ launch behind<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void behind(const int* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = i < n ? x[i] : -1;
    int distance = -1;
    if (own >= 0) {
        unsigned takers = __ballot_sync(__activemask(), true);
        distance = __reduce_max_sync(takers, own) - own;
    }
    if (i < n) y[i] = distance;
}
