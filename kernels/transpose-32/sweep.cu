// Transposes matrices of 32 by 32 numbers, a warp each, `times` times (an odd number), by shared memory with 33 words per row (way 1) or
// 32 (way 2), or by shuffles (way 3).
//@ launch transpose<way><<<matrices, 32>>>(x, y, times)

// In round `half` lanes that differ in that bit exchange half of their numbers.
__device__ void by_shuffles(float* v)
{
    #pragma unroll
    for (int half = 16; half > 0; half /= 2)
        #pragma unroll
        for (int k = 0; k < 32; ++k) {
            if (k & half) continue;
            bool upper = threadIdx.x & half;
            float give = upper ? v[k] : v[k + half];
            float got = __shfl_xor_sync(0xffffffffu, give, half);
            if (upper) v[k] = got;
            else v[k + half] = got;
        }
}

template <int words>
__device__ void by_memory(float* v)
{
    __shared__ float tile[32][words];
    #pragma unroll
    for (int k = 0; k < 32; ++k) tile[k][threadIdx.x] = v[k];
    __syncwarp();
    #pragma unroll
    for (int k = 0; k < 32; ++k) v[k] = tile[threadIdx.x][k];
    __syncwarp();
}

template <int way>
__global__ void transpose(const float* x, float* y, int times)
{
    x += (size_t)blockIdx.x * 1024 + threadIdx.x;
    y += (size_t)blockIdx.x * 1024 + threadIdx.x;

    float v[32];
    #pragma unroll
    for (int k = 0; k < 32; ++k) v[k] = x[32 * k];
    #pragma unroll 1
    for (int turn = 0; turn < times; ++turn) {
        if (way == 1) by_memory<33>(v);
        if (way == 2) by_memory<32>(v);
        if (way == 3) by_shuffles(v);
    }
    #pragma unroll
    for (int k = 0; k < 32; ++k) y[32 * k] = v[k];
}
