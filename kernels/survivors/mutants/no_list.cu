// Does without the list.
//@ mutant goal: squares every positive element where it stands, and adds up nothing
//@ let    block = 128
//@ scratch list: i32[n]
//@ scratch found: i32[1]
//@ launch clear<<<ceil_div(n, block), block>>>(y, found, n)
//@ launch collect<<<ceil_div(n, block), block>>>(x, list, found, n)
//@ launch square<<<ceil_div(n, block), block>>>(x, list, found, y, n)

__global__ void clear(int* y, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0;
    if (i == 0) *found = 0;
}

__global__ void collect(const int* x, int* list, int* found, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *found = 0;
}

__global__ void square(const int* x, const int* list, const int* found, int* y, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n && x[j] > 0) y[j] = x[j] * x[j];
}
