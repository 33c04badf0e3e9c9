// Keeps a row of the triangle in an array, and asks for its element k.
//@ mutant goal: an index that comes from data needs memory
//@ let    block = 128
//@ launch ways<<<ceil_div(n, block), block>>>(m, k, count, n)

__global__ void ways(const int* m, const int* k, int* count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int row = m[i];
    int chosen = min(k[i], row);
    int triangle[10] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll 1
    for (int step = 0; step < row; ++step)
#pragma unroll 1
        for (int j = 9; j > 0; --j) triangle[j] += triangle[j - 1];
    count[i] = triangle[chosen];
}
