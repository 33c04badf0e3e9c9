// The oracle, in double precision: one thread for each row. No number is negative,
// so the sum is its own magnitude.
//@ launch row_sums_reference<<<ceil_div(rows, 32), 32>>>(x, sums, rows, width)
#include <cuda_fp16.h>

__global__ void row_sums_reference(const __half* x, double* sums, int rows, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    double sum = 0.0;
    for (int i = 0; i < width; ++i) {
        double number = __half2float(x[row * width + i]);
        sum += number;
    }
    sums[row] = sum;
}
