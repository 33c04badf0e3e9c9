// What does an FMA read? One block of `threads` threads, each with a single chain of FMAs, in four forms:
//   1  x * x - 0.5         one register in two operands, and a constant
//   2  x * 0.875 + c       two registers, and a constant
//   3  x * b + c           three registers
//   4  x * x + c           two registers in three operands
// The chains are equally long, and each step waits for the one before. b and c are loaded, so that they are in registers of the thread.
//@ launch fma_operands<form><<<1, threads>>>(factor, addend, iterations, start, end)

template <int form>
__global__ void fma_operands(const float* factor, const float* addend, int iterations, const float* start, float* end)
{
    float x = start[threadIdx.x];
    float b = factor[threadIdx.x];
    float c = addend[threadIdx.x];
    if (form == 4) c -= 0.625f;         // -0.5: the chain of form 1

    #pragma unroll 16
    for (int k = 0; k < iterations; ++k) {
        if (form == 1) x = fmaf(x, x, -0.5f);
        if (form == 2) x = fmaf(x, 0.875f, c);
        if (form == 3) x = fmaf(x, b, c);
        if (form == 4) x = fmaf(x, x, c);
    }
    end[threadIdx.x] = x;
}
