// The oracle: one float at a time.
//@ launch copy_reference<<<blocks * loads, 512>>>(a, b)

__global__ void copy_reference(const float* a, double* b)
{
    size_t i = size_t(blockIdx.x) * 512 + threadIdx.x;
    b[i] = a[i];
}
