// The oracle: one warp counts, each lane every 32nd number; then lane 0 adds up.
//@ launch count_reference<<<1, 32>>>(x, count, n)

__global__ void count_reference(const float* x, int* count, int n)
{
    __shared__ int found[32];
    int positive = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        if (x[i] > 0.0f) ++positive;
    found[threadIdx.x] = positive;
    __syncthreads();
    if (threadIdx.x > 0) return;

    int all = 0;
    for (int lane = 0; lane < 32; ++lane) all += found[lane];
    count[0] = all;
    count[1] = n - all;
}
