// One block counts everything, an atomic for each element.
//@ mutant goal: 131 multiprocessors of 132 have nothing to do, and its atomics are no excuse
//@ let    block = 256
//@ launch clear<<<1, 2>>>(count)
//@ launch positives<<<1, block>>>(x, count, n)

__global__ void clear(int* count) { count[threadIdx.x] = 0; }

__global__ void positives(const float* x, int* count, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&count[x[i] > 0.0f ? 0 : 1], 1);
}
