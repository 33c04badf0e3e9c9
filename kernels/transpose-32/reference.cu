// The oracle.
//@ launch transpose_reference<<<matrices, 128>>>(x, y)

__global__ void transpose_reference(const float* x, double* y)
{
    size_t first = (size_t)blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) y[first + i % 32 * 32 + i / 32] = x[first + i];
}
