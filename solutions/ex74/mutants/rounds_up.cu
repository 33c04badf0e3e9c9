// Takes a last group of eight that is not whole.
//@ mutant out-of-bounds: reads rows past the end of the matrix
//@ let    block = 128
//@ launch column_sums<<<ceil_div(cols, block), block>>>(m, sums, rows, cols)

__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    float sum = 0.0f;
    float v[8];
    int r = 0;
    #pragma unroll 1
    for (; r < rows; r += 8) {
        #pragma unroll
        for (int j = 0; j < 8; ++j) v[j] = m[(long long)(r + j) * cols + c];
        #pragma unroll
        for (int j = 0; j < 8; ++j) sum += v[j];
    }

    sums[c] = sum;
}
