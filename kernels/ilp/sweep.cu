// How much independent work does one SM need? One block of `threads` threads, each with `ilp` chains of FMAs.
// Within a chain every FMA needs the result of the one before and waits for it; the chains are independent.
// More threads or more chains per thread: either gives the scheduler other instructions to issue meanwhile.
//@ launch fma_chains<ilp><<<1, threads>>>(0.875, 0.125, iterations, start, end)

template <int ilp>
__global__ void fma_chains(float b, float c, int iterations, const float* start, float* end)
{
    float x[ilp];
    #pragma unroll
    for (int j = 0; j < ilp; ++j) x[j] = start[j * blockDim.x + threadIdx.x];

    #pragma unroll 16
    for (int k = 0; k < iterations; ++k) {
        #pragma unroll
        for (int j = 0; j < ilp; ++j) x[j] = x[j] * b + c;
    }

    #pragma unroll
    for (int j = 0; j < ilp; ++j) end[j * blockDim.x + threadIdx.x] = x[j];
}
