// A block sums 128 rows of 128 columns, eight loads at a time, and adds what it has to the sums of all.
//@ let    block = 128
//@ launch clear<<<ceil_div(cols, block), block>>>(sums, cols)
//@ launch column_sums<<<(ceil_div(cols, block), ceil_div(rows, 128)), block>>>(m, sums, rows, cols)

__global__ void clear(float* sums, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) sums[c] = 0.0f;
}

__global__ void column_sums(const float* __restrict__ m, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    int r = blockIdx.y * 128;
    int last = min(r + 128, rows);
    float sum = 0.0f;
    for (; r + 8 <= last; r += 8) {
        float next[8];
        #pragma unroll
        for (int k = 0; k < 8; ++k) next[k] = m[(long long)(r + k) * cols + c];
        #pragma unroll
        for (int k = 0; k < 8; ++k) sum += next[k];
    }
    for (; r < last; ++r) sum += m[(long long)r * cols + c];
    atomicAdd(&sums[c], sum);
}
