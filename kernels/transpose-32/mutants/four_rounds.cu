// Leaves out the last round.
//@ mutant wrong-result: neighbours have not been exchanged
//@ launch transpose<<<matrices, 32>>>(x, y)

__global__ void transpose(const float* x, float* y)
{
    int lane = threadIdx.x;
    x += (size_t)blockIdx.x * 1024;
    y += (size_t)blockIdx.x * 1024;

    float v[32];
    #pragma unroll
    for (int k = 0; k < 32; ++k) v[k] = x[32 * k + lane];

    #pragma unroll
    for (int half = 16; half > 1; half /= 2)
        #pragma unroll
        for (int k = 0; k < 32; ++k) {
            if (k & half) continue;
            bool upper = lane & half;
            float give = upper ? v[k] : v[k + half];
            float got = __shfl_xor_sync(0xffffffffu, give, half);
            if (upper) v[k] = got;
            else v[k + half] = got;
        }

    #pragma unroll
    for (int k = 0; k < 32; ++k) y[32 * k + lane] = v[k];
}
