// The loop's body as it was, and five rounds.
//@ let    block = 128
//@ launch log_sum_exp<<<ceil_div(32 * rows, block), block>>>(x, y, rows, cols)

__global__ void log_sum_exp(const float* x, float* y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;

    float largest = -FLT_MAX;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float v = x[(long long)row * cols + c];
        float larger = fmaxf(largest, v);
        sum = sum * expf(largest - larger) + expf(v - larger);
        largest = larger;
    }
    for (int k = 16; k > 0; k /= 2) {
        float other_largest = __shfl_down_sync(0xffffffffu, largest, k);
        float other_sum = __shfl_down_sync(0xffffffffu, sum, k);
        float larger = fmaxf(largest, other_largest);
        sum = sum * expf(largest - larger) + other_sum * expf(other_largest - larger);
        largest = larger;
    }
    if (lane == 0) y[row] = largest + logf(sum);
}
