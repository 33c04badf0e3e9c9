// How much should a thread do? A copy of n floats where each thread has `per` of them, a block's width apart, and the grid is
// as much smaller. The source has all loads before the first store.
//@ let    elements = per * block
//@ launch copy<per><<<ceil_div(n, elements), block>>>(from, to, n)

template <int per>
__global__ void copy(const float* __restrict__ from, float* __restrict__ to, int n)
{
    int first = blockIdx.x * per * blockDim.x + threadIdx.x;

    float v[per];
    #pragma unroll
    for (int k = 0; k < per; ++k) {
        int i = first + k * blockDim.x;
        v[k] = i < n ? from[i] : 0.0f;
    }

    #pragma unroll
    for (int k = 0; k < per; ++k) {
        int i = first + k * blockDim.x;
        if (i < n) to[i] = v[k];
    }
}
