//@ mutant wrong-result: 0 and -0 are counted as positive
//@ launch clear<<<1, 2>>>(count)
//@ launch positives<<<ceil_div(n, 256), 256>>>(x, count, n)
__global__ void clear(int* count) { count[threadIdx.x] = 0; }
__global__ void positives(const float* x, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&count[x[i] >= 0.0f ? 0 : 1], 1);
}
