// Loading, adding and storing are one step, for both.
//@ let    block = 256
//@ launch clear<<<1, 2>>>(count)
//@ launch positives<<<ceil_div(n, block), block>>>(x, count, n)

__global__ void clear(int* count) { count[threadIdx.x] = 0; }

__global__ void positives(const float* x, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    if (x[i] > 0.0f) atomicAdd(&count[0], 1);
    else atomicAdd(&count[1], 1);
}
