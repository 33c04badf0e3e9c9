// The oracle: 256 threads, one block, in double precision (integers as they are);
// thread 0 adds what the others found.
//@ launch total_reference<element, accumulator, exact><<<1, 256>>>(x, sum, sum_magnitude, n)

#include <cuda_fp16.h>

template <typename T, typename A, typename E>
__global__ void total_reference(const T* x, E* sum, double* sum_magnitude, int n)
{
    __shared__ E part[256];
    __shared__ double part_magnitude[256];
    E own = 0;
    double magnitude = 0.0;
    for (int i = threadIdx.x; i < n; i += 256) {
        E value = E(A(x[i]));
        own += value;
        magnitude += fabs(double(value));
    }
    part[threadIdx.x] = own;
    part_magnitude[threadIdx.x] = magnitude;
    __syncthreads();

    if (threadIdx.x == 0) {
        E all = 0;
        double all_magnitude = 0.0;
        for (int t = 0; t < 256; ++t) {
            all += part[t];
            all_magnitude += part_magnitude[t];
        }
        *sum = all;
        *sum_magnitude = all_magnitude;
    }
}
