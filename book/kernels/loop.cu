// The same four steps, once as a loop and once written out.
//@ in     x: f32[1024] = uniform(-1, 1)
//@ out    y: f32[256]
//@ out    z: f32[256]
//@ launch looped<<<1, 256>>>(x, y)
//@ launch unrolled<<<1, 256>>>(x, z)

__global__ void looped(const float* x, float* y)
{
    float sum = 0.0f;
    #pragma unroll 1
    for (int k = 0; k < 4; ++k) sum = sum * 0.5f + x[threadIdx.x + 256 * k];
    y[threadIdx.x] = sum;
}

__global__ void unrolled(const float* x, float* y)
{
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 4; ++k) sum = sum * 0.5f + x[threadIdx.x + 256 * k];
    y[threadIdx.x] = sum;
}
