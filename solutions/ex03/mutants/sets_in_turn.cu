// Counters in sixteen sets that take turns, so that no launch has to clear any.
//@ mutant wrong-result: in the seventeenth run the first set still has its old counts
//@ let    block = 256
//@ launch next<<<1, 1>>>()
//@ launch positives<<<ceil_div(n, block), block>>>(x, n)
//@ launch give<<<1, 2>>>(count)

__device__ unsigned set;
__device__ int sets[16][2];

__global__ void next()
{
    set = (set + 1) % 16;
}

__global__ void positives(const float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(&sets[set][x[i] > 0.0f ? 0 : 1], 1);
}

__global__ void give(int* count)
{
    count[threadIdx.x] = sets[set][threadIdx.x];
}
