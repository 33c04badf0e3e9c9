// Unrolls by four.
//@ mutant goal: only four loads are under way
//@ let    block = 128
//@ launch column_sums<<<ceil_div(cols, block), block>>>(m, sums, rows, cols)

__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    float sum = 0.0f;
    #pragma unroll 4
    for (int r = 0; r < rows; ++r)
        sum += m[(long long)r * cols + c];

    sums[c] = sum;
}
