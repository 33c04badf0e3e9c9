// Blocks that stay, with one barrier a turn.
//@ mutant race: a fast warp stores its sum of the next turn while the first warp still reads those of this one
//@ let    block = 256
//@ launch dot<<<sms, block>>>(a, b, dots, n)

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    __shared__ float sums[8];
    int t = threadIdx.x;
    for (int first = 256 * blockIdx.x; first < n; first += 256 * gridDim.x) {
        int i = first + t;
        float sum = i < n ? a[i] * b[i] : 0.0f;
        for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
        if (t % 32 == 0) sums[t / 32] = sum;
        __syncthreads();

        if (t < 32) {
            sum = t < 8 ? sums[t] : 0.0f;
            for (int k = 4; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
            if (t == 0) dots[first / 256] = sum;
        }
    }
}
