//@ mutant wrong-result: a warp whose lanes all keep their elements keeps none
//@ launch compact<<<ceil_div(n, 256), 256>>>(x, kept, n)
__global__ void compact(const int* x, int* kept, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int v = i < n ? x[i] : 0;
    unsigned mask = __ballot_sync(0xffffffffu, v > 0);
    int from = __fns(mask, 0, lane + 1);
    int w = __shfl_sync(0xffffffffu, v, from & 31);
    if (i < n) kept[i] = lane < __popc(mask) && mask != ~0u ? w : 0;
}
