// How much should be written out? One block on one SM. Every thread turns a point `iterations` times, four multiply-adds a turn,
// with `unroll` turns written out. Each takes 64 bytes of code.
//@ launch turns<unroll><<<1, threads>>>(x, y, iterations)

template <int unroll>
__global__ void turns(const float* x, float* y, int iterations)
{
    float a = x[threadIdx.x];
    float b = 0.5f;
    #pragma unroll unroll
    for (int k = 0; k < iterations; ++k) {
        float turned = 0.875f * a - 0.25f * b + 0.125f;
        b = 0.25f * a + 0.875f * b;
        a = turned;
    }
    y[threadIdx.x] = a + b;
}
