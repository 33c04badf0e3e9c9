// Keeps a row of up to 1024 columns in registers, and takes no second turn.
//@ mutant wrong-result: columns from 1024 on are left out
//@ let    block = 128
//@ launch log_sum_exp<<<ceil_div(32 * rows, block), block>>>(x, y, rows, cols)

__global__ void log_sum_exp(const float* x, float* y, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;            // the same for all lanes of the warp

    const float* values = x + (long long)row * cols;
    float largest = -FLT_MAX;
    float sum = 0.0f;
    float v[32];
    #pragma unroll
    for (int k = 0; k < 32; ++k) {
        int c = 32 * k + lane;
        v[k] = c < cols ? values[c] : -INFINITY;
        largest = fmaxf(largest, v[k]);
    }
    #pragma unroll
    for (int k = 0; k < 32; ++k)
        sum += expf(v[k] - largest);

    for (int k = 16; k > 0; k /= 2) {
        float other_largest = __shfl_down_sync(0xffffffffu, largest, k);
        float other_sum = __shfl_down_sync(0xffffffffu, sum, k);
        float larger = fmaxf(largest, other_largest);
        sum = sum * expf(largest - larger) + other_sum * expf(other_largest - larger);
        largest = larger;
    }
    if (lane == 0) y[row] = largest + logf(sum);
}
