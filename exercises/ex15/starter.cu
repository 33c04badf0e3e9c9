// The largest of each element and its two neighbours, from a tile in shared memory. The array's first and last have one neighbour.
// Flaw: at the ends of the array an element of the tile is read that was never written. On a GPU it is often zero.
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
    if (i < n) y[i] = fmaxf(tile[t + 1], fmaxf(tile[t], tile[t + 2]));
}
