// The largest, but for its last bit.
//@ mutant wrong-result: the largest of three numbers is one of them, not one beside it
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void largest(const float* x, float* y, int n)
{
    __shared__ float tile[258];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;

    int last = n - 1;
    tile[t + 1] = x[min(i, last)];
    if (t == 0) tile[0] = x[max(i - 1, 0)];
    if (t == 255) tile[257] = x[min(i + 1, last)];
    __syncthreads();
    if (i < n) y[i] = __int_as_float(~1 & __float_as_int(fmaxf(tile[t + 1], fmaxf(tile[t], tile[t + 2]))));
}
