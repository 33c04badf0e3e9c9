// Two columns a thread, as a float2, and four rows at a time.
//@ let    block = 64
//@ launch column_sums<<<ceil_div(cols, 2 * block), block>>>(m, sums, rows, cols)

__global__ void column_sums(const float* m, float* sums, int rows, int cols)
{
    int c = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (c >= cols) return;
    if (cols % 2 == 0) {
        float sum[2] = {};
        #pragma unroll 4
        for (int r = 0; r < rows; ++r) {
            float2 v = *reinterpret_cast<const float2*>(m + (long long)r * cols + c);
            const float* p = reinterpret_cast<const float*>(&v);
            #pragma unroll
            for (int k = 0; k < 2; ++k) sum[k] += p[k];
        }
        #pragma unroll
        for (int k = 0; k < 2; ++k) sums[c + k] = sum[k];
    } else {
        for (int k = 0; k < 2 && c + k < cols; ++k) {
            float sum = 0.0f;
            for (int r = 0; r < rows; ++r) sum += m[(long long)r * cols + c + k];
            sums[c + k] = sum;
        }
    }
}
