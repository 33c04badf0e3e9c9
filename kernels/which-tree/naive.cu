// The sum of every 4096 elements: sixteen per thread in four wide loads, then a
// tree in shared memory.
// Flaw: nine barriers for the block's one tree. They cost next to nothing, because
// while a block waits, the memory serves the others.
//@ let    block = 256
//@ launch tile_sums<<<ceil_div(n, 16 * block), block>>>(x, sums, n)

constexpr int block = 256;
constexpr int tile = 16 * block;

__device__ float four(const float* x, int i, int n)
{
    if (i + 4 <= n) {
        float4 v = *reinterpret_cast<const float4*>(x + i);
        return (v.x + v.y) + (v.z + v.w);
    }
    float sum = 0.0f;
    for (; i < n; ++i) sum += x[i];
    return sum;
}

__global__ void tile_sums(const float* x, float* sums, int n)
{
    __shared__ float s[block];
    int t = threadIdx.x;
    int i = blockIdx.x * tile + 4 * t;

    float own[4];
    for (int u = 0; u < 4; ++u) own[u] = four(x, i + u * 4 * block, n);
    s[t] = (own[0] + own[1]) + (own[2] + own[3]);
    __syncthreads();

    for (int k = block / 2; k > 0; k /= 2) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = s[0];
}
