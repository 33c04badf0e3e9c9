// A row each: thread t adds the numbers of row t. In each step the lanes of a warp
// read words that lie a whole row apart.
//@ size   n = 64
//@ in     a: f32[n * n] = uniform(-1, 1)
//@ out    sums: f32[n]
//@ launch row_sums<<<ceil_div(n, 32), 32>>>(a, sums, n)

__global__ void row_sums(const float* a, float* sums, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;

    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k];
    sums[row] = sum;
}
