// The same as scale.cu, by blocks that take much of an SM: 40 KB of shared memory
// each, whether they need it or not.
//@ size   n = 1048576
//@ in     x: f32[n] = uniform(-1, 1)
//@ out    y: f32[n]
//@ let    block = 256
//@ launch scale<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void scale(const float* x, float* y, int n)
{
    __shared__ float cache[10240];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cache[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) y[i] = 2 * cache[threadIdx.x];
}
