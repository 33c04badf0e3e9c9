// One of each: a load from global memory, two multiply-adds that need each other, a
// cosine, and a trip through shared memory.
//@ in     x: f32[256] = uniform(1, 2)
//@ out    y: f32[256]
//@ launch waits<<<1, 256>>>(x, y, 0.75, 0.25)

__global__ void waits(const float* x, float* y, float b, float c)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float v = x[t];
    v = v * b + c;
    v = v * b + c;
    v = __cosf(v);
    s[t] = v;
    __syncthreads();
    y[t] = s[t ^ 1] + b;
}
