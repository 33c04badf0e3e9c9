// log(exp(x[0]) + exp(x[1]) + ...) for every row of a table, the largest taken out first, so that no power overflows.
// Flaw: a thread per row, so the lanes of a warp read words that are a row apart, and use four bytes of every sector they get.
//@ let    block = 128
//@ launch log_sum_exp<<<ceil_div(rows, block), block>>>(x, y, rows, cols)

__global__ void log_sum_exp(const float* x, float* y, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;

    // So far the sum is exp(largest) * sum.
    float largest = -INFINITY;
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c) {
        float v = x[(long long)row * cols + c];
        float larger = fmaxf(largest, v);
        sum = sum * expf(largest - larger) + expf(v - larger);
        largest = larger;
    }

    y[row] = largest + logf(sum);
}
