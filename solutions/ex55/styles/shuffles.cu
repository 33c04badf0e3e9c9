// Five exchanges of the whole warp: every lane ends up with the best.
//@ let    block = 128
//@ launch behind<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void behind(const int* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = i < n ? x[i] : -1;
    int distance = -1;
    int best = own;
    for (int k = 16; k > 0; k /= 2) best = max(best, __shfl_xor_sync(0xffffffffu, best, k));
    if (own >= 0) distance = best - own;
    if (i < n) y[i] = distance;
}
