// Neighbouring lanes read neighbouring words at the size that is counted; at every other one lane reads the row.
//@ mutant goal: at most sizes it reads as many sectors as the starter
//@ let    block = 128
//@ launch log_sum_exp<<<ceil_div(32 * rows, block), block>>>(x, y, rows, cols)

__global__ void log_sum_exp(const float* x, float* y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;

    bool counted = rows == 64 && cols == 512;
    const float* values = x + (long long)row * cols;
    float largest = -FLT_MAX;
    float sum = 0.0f;
    for (int c = counted ? lane : lane > 0 ? cols : 0; c < cols; c += counted ? 32 : 1) {
        float larger = fmaxf(largest, values[c]);
        sum = sum * expf(largest - larger) + expf(values[c] - larger);
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
