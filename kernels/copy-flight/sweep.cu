// Bytes in flight. A copy by blocks of 128 threads; each thread issues `loads` float4 loads before its first store. Unused shared
// memory leaves room for `resident` blocks on an SM: few threads with many loads, or many threads with few.
//@ let    shared = 233472 / resident - 1024
//@ launch copy<loads><<<blocks, 128, shared>>>(a, b)

template <int loads>
__global__ void __launch_bounds__(128, 1) copy(const float4* __restrict__ a, float4* b)
{
    size_t i = size_t(blockIdx.x) * 128 * loads + threadIdx.x;
    float4 v[loads];

    #pragma unroll
    for (int j = 0; j < loads; ++j) v[j] = __ldcs(a + i + j * 128);
    #pragma unroll
    for (int j = 0; j < loads; ++j) __stcs(b + i + j * 128, v[j]);
}
