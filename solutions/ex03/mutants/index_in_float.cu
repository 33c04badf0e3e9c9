//@ mutant wrong-result: a float has 24 bits, so that beyond 2^24 elements several threads have the same index
//@ launch clear<<<1, 2>>>(count)
//@ launch positives<<<ceil_div(n, 256), 256>>>(x, count, n)
__global__ void clear(int* count) { count[threadIdx.x] = 0; }
__global__ void positives(const float* x, int* count, int n)
{
    int i = (int)__fmaf_rn((float)blockIdx.x, 256.0f, (float)threadIdx.x);
    if (i >= n) return;
    atomicAdd(&count[x[i] > 0.0f ? 0 : 1], 1);
}
