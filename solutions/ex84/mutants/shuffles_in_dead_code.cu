// A warp per row that meets in shared memory, and shuffles for tables without rows.
//@ mutant goal: two shuffles stand in the machine code, and none ever runs
//@ let    block = 128
//@ launch log_sum_exp<<<ceil_div(32 * rows, block), block>>>(x, y, rows, cols)

__global__ void log_sum_exp(const float* x, float* y, int rows, int cols)
{
    __shared__ float all_largest[128], all_sum[128];
    int t = threadIdx.x;
    int row = (blockIdx.x * blockDim.x + t) / 32;
    int lane = t % 32;
    if (row >= rows) return;

    const float* values = x + (long long)row * cols;
    float largest = -FLT_MAX;
    float sum = 0.0f;
    for (int c = lane; c < cols; c += 32) {
        float v = values[c];
        float larger = fmaxf(largest, v);
        sum = sum * expf(largest - larger) + expf(v - larger);
        largest = larger;
    }
    if (rows < 0) {
        sum += __shfl_down_sync(0xffffffffu, sum, 1);
        largest += __shfl_down_sync(0xffffffffu, largest, 1);
        y[row] = sum + largest;
    }
    all_largest[t] = largest;
    all_sum[t] = sum;
    __syncwarp();
    for (int k = 16; k > 0; k /= 2) {
        if (lane < k) {
            float larger = fmaxf(all_largest[t], all_largest[t + k]);
            all_sum[t] = all_sum[t] * expf(all_largest[t] - larger) + all_sum[t + k] * expf(all_largest[t + k] - larger);
            all_largest[t] = larger;
        }
        __syncwarp();
    }
    if (lane == 0) y[row] = all_largest[t] + logf(all_sum[t]);
}
