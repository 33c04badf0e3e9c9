// Every thread pauses for 16 milliseconds before it stores.
//@ mutant slow: no counter shows how long a pause is
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

    for (int k = 0; k < 16; ++k) __nanosleep(1000000);
    sums[c] = sum;
}
