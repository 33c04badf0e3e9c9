// Brings the warp together through shared memory.
//@ mutant goal: right, at the price of shared memory and a barrier
//@ let    block = 128
//@ launch behind<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void behind(const int* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int own = i < n ? x[i] : -1;
    int distance = -1;
    __shared__ int best[4];
    if (threadIdx.x < 4) best[threadIdx.x] = -1;
    __syncthreads();
    atomicMax(&best[threadIdx.x / 32], own);
    __syncthreads();
    if (own >= 0) distance = best[threadIdx.x / 32] - own;
    if (i < n) y[i] = distance;
}
