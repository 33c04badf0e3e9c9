// A column each: thread t adds the numbers of column t. In each step the lanes of a
// warp read neighbouring words.
//@ size   n = 64
//@ in     a: f32[n * n] = uniform(-1, 1)
//@ out    sums: f32[n]
//@ launch column_sums<<<ceil_div(n, 32), 32>>>(a, sums, n)

__global__ void column_sums(const float* a, float* sums, int n)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= n) return;

    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k)
        sum += a[k * n + column];
    sums[column] = sum;
}
