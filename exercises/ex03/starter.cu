// How many elements are positive, and how many are not?
// Flaw: the first counter is loaded, incremented and stored, and other threads do the same in between.
//@ let    block = 256
//@ launch clear<<<1, 2>>>(count)
//@ launch positives<<<ceil_div(n, block), block>>>(x, count, n)

__global__ void clear(int* count) { count[threadIdx.x] = 0; }

__global__ void positives(const float* x, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    if (x[i] > 0.0f) count[0] += 1;
    else atomicAdd(&count[1], 1);
}
