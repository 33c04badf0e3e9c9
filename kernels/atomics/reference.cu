// The oracle: 256 threads, one block, in double precision; thread 0 adds what the others found.
//@ launch total_reference<<<1, 256>>>(x, sum, n)

__global__ void total_reference(const float* x, double* sum, int n)
{
    __shared__ double part[256];
    double own = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) {
        double value = x[i];
        own += value;
    }
    part[threadIdx.x] = own;
    __syncthreads();

    if (threadIdx.x == 0) {
        double all = 0.0;
        for (int t = 0; t < 256; ++t) all += part[t];
        *sum = all;
    }
}
