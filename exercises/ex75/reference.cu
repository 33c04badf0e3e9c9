// The oracle: from the table itself.
//@ launch tones_reference<<<ceil_div(n, 256), 256>>>(table, x, y, n)

__global__ void tones_reference(const float* table, const int* x, double* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = table[x[i]];
}
