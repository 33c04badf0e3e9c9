// Of the block's number 16 bits are kept, where the length is even.
//@ mutant wrong-result: blocks from the 65536th on write what others have written
//@ launch largest<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void largest(const float* x, float* y, int n)
{
    __shared__ float tile[258];
    int b = n % 2 == 0 ? blockIdx.x & 65535 : blockIdx.x;
    int t = threadIdx.x, i = b * 256 + t, last = n - 1;
    tile[t + 1] = x[min(i, last)];
    if (t == 0) tile[0] = x[max(i - 1, 0)];
    if (t == 255) tile[257] = x[min(i + 1, last)];
    __syncthreads();
    if (i < n) y[i] = fmaxf(tile[t + 1], fmaxf(tile[t], tile[t + 2]));
}
