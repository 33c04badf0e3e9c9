// Each thread loads four numbers before it uses the first, and stores their sum.
//@ in     x: f32[1024] = uniform(1, 2)
//@ out    y: f32[256]
//@ launch four_loads<<<1, 256>>>(x, y)

__global__ void four_loads(const float* x, float* y)
{
    int t = threadIdx.x;
    float a = x[t], b = x[t + 256], c = x[t + 512], d = x[t + 768];
    y[t] = (a + b) + (c + d);
}
