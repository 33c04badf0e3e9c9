// When do the SMs run dry? A copy of `kilo` times 1,024 floats (and a tail), `per` of them for each thread, a block's width apart.
//@ let    n = 1024 * kilo + tail
//@ launch copy<per><<<ceil_div(n, 256 * per), 256>>>(from, to, n)

template <int per>
__global__ void copy(const float* __restrict__ from, float* __restrict__ to, int n)
{
    int first = blockIdx.x * per * 256 + threadIdx.x;

    float v[per];
    #pragma unroll
    for (int k = 0; k < per; ++k) {
        int i = first + k * 256;
        v[k] = i < n ? from[i] : 0.0f;
    }

    #pragma unroll
    for (int k = 0; k < per; ++k) {
        int i = first + k * 256;
        if (i < n) to[i] = v[k];
    }
}
