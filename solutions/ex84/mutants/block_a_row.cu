// A block a row.
//@ mutant goal: the rounds of eight warps and a barrier for every row: 0.26x on an H200
//@ launch log_sum_exp<<<rows, 256>>>(x, y, rows, cols)

__global__ void log_sum_exp(const float* x, float* y, int rows, int cols)
{
    __shared__ float all_largest[8], all_sum[8];
    int t = threadIdx.x;
    int row = blockIdx.x;

    const float* values = x + (long long)row * cols;
    float largest = -FLT_MAX;
    float sum = 0.0f;
    for (int c = t; c < cols; c += 256) {
        float v = values[c];
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
    if (t % 32 == 0) {
        all_largest[t / 32] = largest;
        all_sum[t / 32] = sum;
    }
    __syncthreads();
    if (t != 0) return;
    for (int w = 1; w < 8; ++w) {
        float larger = fmaxf(largest, all_largest[w]);
        sum = sum * expf(largest - larger) + all_sum[w] * expf(all_largest[w] - larger);
        largest = larger;
    }
    y[row] = largest + logf(sum);
}
