// The last block does nothing, where there are as many blocks as at the size that is timed.
//@ mutant wrong-result: the last columns of a wide matrix have no sums
//@ let    block = 128
//@ launch column_sums<<<ceil_div(cols, block), block>>>(m, sums, rows, cols)

__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols || blockIdx.x == 127) return;

    float sum = 0.0f;
    #pragma unroll 8
    for (int r = 0; r < rows; ++r)
        sum += m[(long long)r * cols + c];

    sums[c] = sum;
}
