// What a thread holds in registers limits how many of them an SM holds: ninety-six
// numbers each.
//@ size   n = 65536
//@ in     x: f32[96 * n] = uniform(-1, 1)
//@ out    y: f32[n]
//@ launch held<<<ceil_div(n, 256), 256>>>(x, y, n)

__global__ void held(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float v[96];
    #pragma unroll
    for (int k = 0; k < 96; ++k) v[k] = x[k * n + i];
    __syncwarp();                               // all loads first

    float low = v[0], sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 96; ++k) low = min(low, v[k]);
    #pragma unroll
    for (int k = 0; k < 96; ++k) sum += v[k] - low;
    y[i] = sum;
}
