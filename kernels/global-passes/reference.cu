// The oracle: 256 threads, one block, in double precision; thread 0 adds what the others found.
//@ launch total_reference<<<1, 256>>>(x, sum, sum_magnitude, n)

__global__ void total_reference(const float* x, double* sum, double* sum_magnitude, int n)
{
    __shared__ double part[256];
    __shared__ double part_magnitude[256];
    double own = 0.0;
    double magnitude = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) {
        double value = x[i];
        own += value;
        magnitude += fabs(value);
    }
    part[threadIdx.x] = own;
    part_magnitude[threadIdx.x] = magnitude;
    __syncthreads();

    if (threadIdx.x == 0) {
        double all = 0.0;
        double all_magnitude = 0.0;
        for (int t = 0; t < 256; ++t) {
            all += part[t];
            all_magnitude += part_magnitude[t];
        }
        *sum = all;
        *sum_magnitude = all_magnitude;
    }
}
