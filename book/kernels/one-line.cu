// A window of sixteen values, in registers. One line more, and it is in local
// memory.
//@ size   n = 256
//@ in     x: f32[16 * n] = uniform(-1, 1)
//@ out    y: f32[n]
//@ out    z: f32[n]
//@ launch kept<<<1, 256>>>(x, y)
//@ launch lost<<<1, 256>>>(x, z)

__global__ void kept(const float* x, float* y)
{
    float v[16];
    for (int k = 0; k < 16; ++k) v[k] = x[threadIdx.x + 256 * k];
    __syncwarp();
    float sum = 0.0f;
    for (int k = 0; k < 16; ++k) sum = sum * 0.5f + v[k];
    y[threadIdx.x] = sum;
}

__global__ void lost(const float* x, float* y)
{
    float v[16];
    for (int k = 0; k < 16; ++k) v[k] = x[threadIdx.x + 256 * k];
    __syncwarp();
    float sum = 0.0f;
    #pragma unroll 1                            // the line
    for (int k = 0; k < 16; ++k) sum = sum * 0.5f + v[k];
    y[threadIdx.x] = sum;
}
