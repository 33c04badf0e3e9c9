// The oracle.
//@ let    n = 1024 * kilo + tail
//@ launch copy_reference<<<ceil_div(n, 128), 128>>>(from, to, n)

__global__ void copy_reference(const float* from, double* to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
