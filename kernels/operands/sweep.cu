// What does an FMA read? One block of `threads` threads, each with a single chain of FMAs. With `registers` = 3 the three operands
// are three different registers. With 2 one of them is a constant, which stands in the instruction itself. With 1 the only
// register is the chain's own, read twice. The chains are as long, and each step waits for the one before.
//@ launch fma_operands<registers><<<1, threads>>>(0.875, 0.125, iterations, start, end)

template <int registers>
__global__ void fma_operands(float b, float c, int iterations, const float* start, float* end)
{
    float x = start[threadIdx.x];

    #pragma unroll 16
    for (int k = 0; k < iterations; ++k) {
        if (registers == 3) x = fmaf(x, b, c);
        if (registers == 2) x = fmaf(x, 0.875f, c);
        if (registers == 1) x = fmaf(x, x, -0.5f);
    }
    end[threadIdx.x] = x;
}
