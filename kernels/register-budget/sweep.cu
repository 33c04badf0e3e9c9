// A thread keeps `values` running averages with different weights and updates each of them with every number that it reads. The launch
// bound asks for `resident` blocks of 256 threads per SM, which limits a thread's registers; unused shared memory prevents
// more.
//@ let    shared = 233472 / resident - 1024
//@ launch averages<values, resident><<<blocks, 256, shared>>>(x, y, rounds)

template <int values, int resident>
__global__ void __launch_bounds__(256, resident) averages(const float* x, float* y, int rounds)
{
    x += size_t(blockIdx.x) * 256 * rounds + threadIdx.x;
    float v[values];
    #pragma unroll
    for (int j = 0; j < values; ++j) v[j] = 1.0f - j * (1.0f / 64);

    #pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        float next = x[256 * r];
        #pragma unroll
        for (int j = 0; j < values; ++j) v[j] = fmaf(v[j], 0.5f - j * (1.0f / 256), next);
    }

    float sum = 0.0f;
    #pragma unroll
    for (int j = 0; j < values; ++j) sum += v[j];
    y[256 * blockIdx.x + threadIdx.x] = sum;
}
