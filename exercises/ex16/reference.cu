// The oracle: one block, each thread adds its share, thread 0 adds the shares; the mean first, then the squares.
//@ launch moments_reference<<<1, 256>>>(x, mean, variance, variance_magnitude, n)

// The sum of `share` over the block, for all threads.
__device__ double total(double* share, double own)
{
    share[threadIdx.x] = own;
    __syncthreads();
    double all = 0.0;
    for (int t = 0; t < 256; ++t) all += share[t];
    __syncthreads();
    return all;
}

__global__ void moments_reference(const float* x, double* mean, double* variance, double* variance_magnitude, int n)
{
    __shared__ double share[256];

    double own = 0.0;
    for (int i = threadIdx.x; i < n; i += 256)
        own += x[i];
    double m = total(share, own) / n;

    own = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) {
        double distance = x[i] - m;
        own += distance * distance;
    }
    double v = total(share, own) / n;

    // A mean that is off by a rounding, u * |m|, changes a distance by as much, and its square by twice that times the distance.
    if (threadIdx.x == 0) {
        *mean = m;
        *variance = v;
        *variance_magnitude = v + sqrt(v) * fabs(m);
    }
}
