// A pipeline in software: the next eight rows are requested before these eight are added.
//@ let    block = 128
//@ launch column_sums<<<ceil_div(cols, block), block>>>(m, sums, rows, cols)

__global__ void column_sums(const float* __restrict__ m, float* __restrict__ sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float now[8], s = 0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) now[k] = k < rows ? m[(long long)k * cols + c] : 0.0f;
    for (int r = 8; r < rows; r += 8) {
        float next[8];
        #pragma unroll
        for (int k = 0; k < 8; ++k) next[k] = r + k < rows ? m[(long long)(r + k) * cols + c] : 0.0f;
        #pragma unroll
        for (int k = 0; k < 8; ++k) { s += now[k]; now[k] = next[k]; }
    }
    #pragma unroll
    for (int k = 0; k < 8; ++k) s += now[k];
    sums[c] = s;
}
