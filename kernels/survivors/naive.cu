// A list of the indices of all positive elements, in any order, and then work for
// the elements on the list alone.
// Flaw: each of them reserves its position by an atomic of its own, all on one
// word.
//@ let    block = 128
//@ scratch list: i32[n]
//@ scratch found: i32[1]
//@ launch clear<<<ceil_div(n, block), block>>>(y, found, n)
//@ launch collect<<<ceil_div(n, block), block>>>(x, list, found, n)
//@ launch square<<<ceil_div(n, block), block>>>(x, list, found, y)

__global__ void clear(int* y, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0;
    if (i == 0) *found = 0;
}

__global__ void collect(const int* x, int* list, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0) list[atomicAdd(found, 1)] = i;
}

__global__ void square(const int* x, const int* list, const int* found, int* y)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < *found) y[list[j]] = x[list[j]] * x[list[j]];
}
