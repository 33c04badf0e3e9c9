// Leaves out powers below exp(-12).
//@ mutant wrong-result: thirty of a lane are not small
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
    for (int start = 0; start < cols; start += 256) {
        float v[8];
        float larger = largest;
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            int c = start + 32 * k + lane;
            v[k] = c < cols ? values[c] : -INFINITY;
            larger = fmaxf(larger, v[k]);
        }
        sum *= expf(largest - larger);
        #pragma unroll
        for (int k = 0; k < 8; ++k)
            if (v[k] - larger > -12.0f) sum += expf(v[k] - larger);
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
