// A warp makes eight results: three rounds in which a lane keeps one half of its sums and gives the other away, two rounds for the rest.
//@ let    block = 128
//@ launch dot<<<ceil_div(ceil_div(n, 256), 32), block>>>(a, b, dots, n)

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 2048;
    if (first >= n) return;

    float sum[8];
    #pragma unroll
    for (int j = 0; j < 8; ++j) {
        sum[j] = 0.0f;
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            int i = first + 256 * j + 32 * k + lane;
            if (i < n) sum[j] = fmaf(a[i], b[i], sum[j]);
        }
    }

    #pragma unroll
    for (int half = 4; half > 0; half /= 2) {
        bool upper = lane & 4 * half;
        #pragma unroll
        for (int j = 0; j < half; ++j) {
            float given = upper ? sum[j] : sum[j + half];
            float kept = upper ? sum[j + half] : sum[j];
            sum[j] = kept + __shfl_xor_sync(0xffffffffu, given, 4 * half);
        }
    }
    sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], 2);
    sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], 1);

    int j = lane / 4;
    if (lane % 4 == 0 && first + 256 * j < n) dots[8 * warp + j] = sum[0];
}
