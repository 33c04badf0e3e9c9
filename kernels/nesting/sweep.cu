// A tree of branches, `depth` of them one in another, so 2^depth leaves, and in each leaf the same length of work with other
// numbers. The leaf of an element follows from its index: `spread` neighbours have the same one.
//@ let    block = 256
//@ launch tree<depth><<<ceil_div(n, block), block>>>(spread, x, y, n)

template <int levels, int leaf>
__device__ float descend(int path, float v)
{
    if constexpr (levels > 0) {
        if (path & 1) return descend<levels - 1, 2 * leaf + 1>(path >> 1, v);
        return descend<levels - 1, 2 * leaf>(path >> 1, v);
    } else {
        #pragma unroll 1
        for (int k = 0; k < 16; ++k)
            for (int j = 0; j < 4; ++j) v = v * 0.875f + (leaf + 1) / 256.0f;
        return v;
    }
}

template <int depth>
__global__ void tree(int spread, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int path = i / spread % (1 << depth);
    y[i] = descend<depth, 0>(path, x[i]);
}
