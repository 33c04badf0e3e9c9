// Sums of the columns of a matrix, eight rows at a time.
// The loads of an iteration are independent, so the compiler issues all eight before the first addition waits: eight
// times the bytes in flight from the same threads. The additions still depend on each other; it is the loads that matter.
//@ let    block = 128
//@ launch column_sums<<<ceil_div(cols, block), block>>>(m, sums, rows, cols)

__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    float sum = 0.0f;
    #pragma unroll 8
    for (int r = 0; r < rows; ++r)
        sum += m[(long long)r * cols + c];

    sums[c] = sum;
}
