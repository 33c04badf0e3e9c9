// Calls itself once a level, and loops for the other branch.
//@ mutant goal: less is called, and it still needs a stack
//@ let    block = 128
//@ launch ways<<<ceil_div(n, block), block>>>(m, k, count, n)

__device__ int choose(int m, int k)
{
    int sum = 1;
    if (k == 0 || k == m) return 1;
    for (; m > k; --m) sum += choose(m - 1, k - 1);
    return sum;
}

__global__ void ways(const int* m, const int* k, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    count[i] = choose(m[i], min(k[i], m[i]));
}
