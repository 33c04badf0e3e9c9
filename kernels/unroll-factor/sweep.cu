// How much should be written out? One block on one SM. Every thread turns a point
// `iterations` times, five instructions of arithmetic per turn, with `unroll` turns
// written out. A turn takes 80 bytes of code. (More than 1024 are written out by a
// template that calls itself twice: `#pragma unroll` gives up at some thousand
// instructions, and unrolls by 4.)
//@ launch turns<unroll><<<1, threads>>>(x, y, iterations)

template <int unroll>
__device__ void turn(float& a, float& b)
{
    if constexpr (unroll > 1024) {
        turn<unroll / 2>(a, b);
        turn<unroll / 2>(a, b);
    } else {
        #pragma unroll
        for (int k = 0; k < unroll; ++k) {
            float turned = 0.875f * a - 0.25f * b + 0.125f;
            b = 0.25f * a + 0.875f * b;
            a = turned;
        }
    }
}

template <int unroll>
__global__ void turns(const float* x, float* y, int iterations)
{
    float a = x[threadIdx.x];
    float b = 0.5f;
    int k = 0;
    #pragma unroll 1
    for (; k + unroll <= iterations; k += unroll) turn<unroll>(a, b);
    #pragma unroll 1
    for (; k < iterations; ++k) turn<1>(a, b);
    y[threadIdx.x] = a + b;
}
