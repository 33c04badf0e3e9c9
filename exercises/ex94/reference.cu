// The oracle: one block, each thread compares its share, thread 0 compares the shares. A maximum does not round.
//@ launch loudest_reference<<<1, 256>>>(x, peak, n)

__global__ void loudest_reference(const float* x, double* peak, int n)
{
    __shared__ double share[256];
    double own = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) {
        double magnitude = fabs((double)x[i]);
        if (magnitude > own) own = magnitude;
    }
    share[threadIdx.x] = own;
    __syncthreads();

    if (threadIdx.x == 0) {
        double all = 0.0;
        for (int t = 0; t < 256; ++t) {
            if (share[t] > all) all = share[t];
        }
        *peak = all;
    }
}
