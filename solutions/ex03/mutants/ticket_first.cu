//@ mutant uninitialised: a block takes its ticket before it has stored its part
//@ let grid = ceil_div(n, 256)
//@ scratch part: i32[grid]
//@ launch positives<<<grid, 256>>>(x, part, count, n)
__device__ unsigned ticket = 0;
__global__ void positives(const float* x, volatile int* part, int* count, int n)
{
    __shared__ bool last;
    int i = blockIdx.x * 256 + threadIdx.x;
    int up = __syncthreads_count(i < n && x[i] > 0.0f);
    if (threadIdx.x == 0) {
        last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
        part[blockIdx.x] = up;
        __threadfence();
    }
    __syncthreads();
    if (!last || threadIdx.x >= 32) return;
    int own = 0;
    for (int k = threadIdx.x; k < gridDim.x; k += 32) own += part[k];
    own = __reduce_add_sync(~0u, own);
    if (threadIdx.x == 0) { count[0] = own; count[1] = n - own; }
}
