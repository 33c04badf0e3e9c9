// Reads a neighbour only where there is one.
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void largest(const float* x, float* y, int n)
{
    __shared__ float tile[258];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;

    if (i < n) {
        tile[t + 1] = x[i];
        if (t == 0 && i > 0) tile[0] = x[i - 1];
        if (t == 255 && i + 1 < n) tile[257] = x[i + 1];
    }
    __syncthreads();
    if (i >= n) return;

    float most = tile[t + 1];
    if (i > 0) most = fmaxf(most, tile[t]);
    if (i + 1 < n) most = fmaxf(most, tile[t + 2]);
    y[i] = most;
}
