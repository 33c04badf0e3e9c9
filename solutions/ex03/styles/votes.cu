// A warp votes, and one lane adds what all have found.
//@ let    block = 128
//@ launch clear<<<1, 2>>>(count)
//@ launch positives<<<ceil_div(n, block), block>>>(x, count, n)

__global__ void clear(int* count) { count[threadIdx.x] = 0; }

__global__ void positives(const float* x, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned there = __ballot_sync(0xffffffffu, i < n);
    unsigned yes = __ballot_sync(0xffffffffu, i < n && x[i] > 0.0f);
    if (threadIdx.x % 32 != 0) return;

    atomicAdd(&count[0], __popc(yes));
    atomicAdd(&count[1], __popc(there & ~yes));
}
