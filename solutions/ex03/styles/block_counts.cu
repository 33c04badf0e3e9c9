// A block counts at its barrier.
//@ let    block = 256
//@ launch clear<<<1, 2>>>(count)
//@ launch positives<<<ceil_div(n, block), block>>>(x, count, n)

__global__ void clear(int* count) { count[threadIdx.x] = 0; }

__global__ void positives(const float* x, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int found = __syncthreads_count(i < n && x[i] > 0.0f);
    if (threadIdx.x != 0) return;

    atomicAdd(&count[0], found);
    atomicAdd(&count[1], min(n - i, 256) - found);
}
