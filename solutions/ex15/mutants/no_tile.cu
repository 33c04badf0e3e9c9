// Three loads per element.
//@ mutant goal: three times the requests; the cache has the rest
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void largest(const float* x, float* y, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;

    int last = n - 1;
    if (i < n) y[i] = fmaxf(x[i], fmaxf(x[max(i - 1, 0)], x[min(i + 1, last)]));
}
