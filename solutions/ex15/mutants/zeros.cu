// Zeros at the ends.
//@ mutant wrong-result: where all elements are negative, zero is larger than all of them
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void largest(const float* x, float* y, int n)
{
    __shared__ float tile[258];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;

    tile[t + 1] = i < n ? x[i] : 0.0f;
    if (t == 0) tile[0] = i > 0 ? x[i - 1] : 0.0f;
    if (t == 255) tile[257] = i + 1 < n ? x[i + 1] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = fmaxf(tile[t + 1], fmaxf(tile[t], tile[t + 2]));
}
