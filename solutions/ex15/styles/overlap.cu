// Tiles overlap by two: a block loads 256 elements, and its inner 254 threads store.
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block - 2), block>>>(x, y, n)

__global__ void largest(const float* x, float* y, int n)
{
    __shared__ float tile[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 254 + t - 1;

    float own = x[max(0, min(i, n - 1))];
    tile[t] = own;
    __syncthreads();
    if (t > 0 && t < 255 && i < n) y[i] = fmaxf(own, fmaxf(tile[t - 1], tile[t + 1]));
}
