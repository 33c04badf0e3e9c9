// A sum a block, added to a variable of the file; one thread takes it from there, and leaves a zero for the next launch.
//@ let    block = 256
//@ launch positives<<<min(ceil_div(n, block), 4 * sms), block>>>(x, count, n)
//@ launch rest<<<1, 1>>>(count, n)

__device__ int total;

__global__ void positives(const float* x, int* count, int n)
{
    __shared__ int sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) own += x[i] > 0.0f;
    own = __reduce_add_sync(~0u, own);
    if (threadIdx.x % 32 == 0) atomicAdd_block(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(&total, sum);
}

__global__ void rest(int* count, int n) { int t = atomicExch(&total, 0); count[0] = t; count[1] = n - t; }
