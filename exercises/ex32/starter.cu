// Seats: in how many ways can k people leave a row of m? Pascal's rule, for every element of a table of pairs (m, k).
// Flaw: the function calls itself. A call has a return address and values to keep, and they are kept in local
// memory.
//@ let    block = 128
//@ launch ways<<<ceil_div(n, block), block>>>(m, k, count, n)

__device__ int choose(int m, int k)
{
    if (k == 0 || k == m) return 1;
    return choose(m - 1, k - 1) + choose(m - 1, k);
}

__global__ void ways(const int* m, const int* k, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    count[i] = choose(m[i], min(k[i], m[i]));
}
