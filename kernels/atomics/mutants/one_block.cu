// One block adds up everything: no atomic at all, and one multiprocessor of 132 at work.
//@ mutant goal: few atomics, since there are few warps
//@ launch total<<<1, 1024>>>(x, sum, n)

__global__ void total(const float* x, float* sum, int n)
{
    __shared__ float partial[32];
    int t = threadIdx.x;
    float own = 0.0f;
    for (int i = t; i < n; i += 1024) own += x[i];
    #pragma unroll
    for (int k = 16; k > 0; k /= 2) own += __shfl_down_sync(0xffffffffu, own, k);
    if (t % 32 == 0) partial[t / 32] = own;
    __syncthreads();
    if (t >= 32) return;
    own = partial[t];
    #pragma unroll
    for (int k = 16; k > 0; k /= 2) own += __shfl_down_sync(0xffffffffu, own, k);
    if (t == 0) *sum = own;
}
