// Every thread pauses before it counts.
//@ mutant goal: it is right, and no counter shows how long a pause is
//@ let    block = 256
//@ launch clear<<<1, 2>>>(count)
//@ launch positives<<<ceil_div(n, block), block>>>(x, count, n)

__global__ void clear(int* count) { count[threadIdx.x] = 0; }

__global__ void positives(const float* x, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    __nanosleep(20000);
    atomicAdd(&count[x[i] > 0.0f ? 0 : 1], 1);
}
