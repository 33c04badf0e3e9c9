// The number of a quad goes through a float.
//@ mutant wrong-result: beyond 2^24 quads the odd ones are never read, and even ones twice
//@ let     block = 256
//@ let     grid = min(ceil_div(n, 16 * block), 8 * sms)
//@ scratch parts: f32[3 * grid]
//@ launch  describe<<<grid, block>>>(x, parts, n)
//@ launch  finish<<<1, block>>>(parts, mean, variance, grid)

constexpr int block = 256;

// Of a part of the signal: how many elements, their mean, the sum of the squares of their distances from it.
struct Part {
    float count, mean, squares;
};

__device__ Part merge(Part a, Part b)
{
    float count = a.count + b.count;
    float share = count > 0.0f ? b.count / count : 0.0f;
    float distance = b.mean - a.mean;
    return {count, a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share};
}

// The whole block's part, in thread 0.
__device__ Part block_part(Part own)
{
    __shared__ Part warp_part[block / 32];
    int t = threadIdx.x;
    for (int k = 16; k > 0; k /= 2) {
        Part other = {__shfl_down_sync(0xffffffffu, own.count, k), __shfl_down_sync(0xffffffffu, own.mean, k),
                      __shfl_down_sync(0xffffffffu, own.squares, k)};
        own = merge(own, other);
    }
    if (t % 32 == 0) warp_part[t / 32] = own;
    __syncthreads();
    if (t == 0)
        for (int w = 1; w < block / 32; ++w) own = merge(own, warp_part[w]);
    return own;
}

__global__ void describe(const float* x, float* parts, int n)
{
    int first = blockIdx.x * block + threadIdx.x;
    int threads = gridDim.x * block;
    const float4* quads = reinterpret_cast<const float4*>(x);
    float origin = x[min(first, n - 1)];        // as good as any sample nearby
    float count = 0.0f;
    float sum = 0.0f;
    float squares = 0.0f;
    auto add = [&](float v) {
        float distance = v - origin;
        count += 1.0f;
        sum += distance;
        squares += distance * distance;
    };
    #pragma unroll 4
    for (int i = first; i < n / 4; i += threads) {
        float4 q = quads[(int)(float)i];
        add(q.x);
        add(q.y);
        add(q.z);
        add(q.w);
    }
    if (first < n % 4) add(x[n - 1 - first]);
    float mean = count > 0.0f ? sum / count : 0.0f;
    Part own = block_part({count, origin + mean, squares - sum * mean});
    if (threadIdx.x == 0) {
        parts[3 * blockIdx.x] = own.count;
        parts[3 * blockIdx.x + 1] = own.mean;
        parts[3 * blockIdx.x + 2] = own.squares;
    }
}

__global__ void finish(const float* parts, float* mean, float* variance, int grid)
{
    Part own = {0.0f, 0.0f, 0.0f};
    for (int i = threadIdx.x; i < grid; i += block)
        own = merge(own, {parts[3 * i], parts[3 * i + 1], parts[3 * i + 2]});
    own = block_part(own);
    if (threadIdx.x == 0) {
        *mean = own.mean;
        *variance = own.squares / own.count;
    }
}
