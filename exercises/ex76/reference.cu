// The oracle: from the table itself.
//@ launch map_reference<<<ceil_div(n, 256), 256>>>(table, x, y, n)

__global__ void map_reference(const unsigned short* table, const unsigned short* x, unsigned short* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = table[x[i]];
}
