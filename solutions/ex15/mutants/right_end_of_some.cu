// Mends the right end for some sizes only.
//@ mutant wrong-result: where n % 4 is 2 or 3 the last element is compared with 0, which is larger if all are negative
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void largest(const float* x, float* y, int n)
{
    __shared__ float tile[258];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;

    if (i < n) tile[t + 1] = x[i];
    else if (i == n) tile[t + 1] = n % 4 < 2 ? x[n - 1] : 0.0f;
    if (t == 0) tile[0] = x[max(i - 1, 0)];
    if (t == 255) tile[257] = x[min(i + 1, n - 1)];
    __syncthreads();
    if (i < n) y[i] = fmaxf(tile[t + 1], fmaxf(tile[t], tile[t + 2]));
}
