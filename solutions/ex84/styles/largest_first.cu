// The row's largest by all lanes first, kept in registers for the powers.
//@ let    block = 128
//@ launch log_sum_exp<<<ceil_div(32 * rows, block), block>>>(x, y, rows, cols)

__global__ void log_sum_exp(const float* x, float* y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;

    const float* values = x + (long long)row * cols;
    float all_largest = -FLT_MAX, all_sum = 0.0f;
    for (int start = 0; start < cols; start += 512) {
        float v[16];
        float largest = all_largest;
        #pragma unroll
        for (int k = 0; k < 16; ++k) {
            int c = start + 32 * k + lane;
            v[k] = c < cols ? values[c] : -INFINITY;
            largest = fmaxf(largest, v[k]);
        }
        for (int k = 16; k > 0; k /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, k));
        float sum = 0.0f;
        #pragma unroll
        for (int k = 0; k < 16; ++k) sum += expf(v[k] - largest);
        for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
        all_sum = all_sum * expf(all_largest - largest) + sum;
        all_largest = largest;
    }
    if (lane == 0) y[row] = all_largest + logf(all_sum);
}
