// Redux in every warp, a shared word a warp, one barrier.
//@ launch block_ranges<block><<<ceil_div(n, block), block>>>(x, ranges, n)

template <int block>
__global__ void block_ranges(const int* x, int* ranges, int n)
{
    __shared__ int low[block / 32], high[block / 32];
    int t = threadIdx.x;
    int v = x[min((int)(blockIdx.x * block) + t, n - 1)];
    int least = __reduce_min_sync(0xffffffffu, v);
    int most = __reduce_max_sync(0xffffffffu, v);
    if (t % 32 == 0) {
        low[t / 32] = least;
        high[t / 32] = most;
    }
    __syncthreads();
    if (t == 0) {
        #pragma unroll
        for (int w = 1; w < block / 32; ++w) {
            least = min(least, low[w]);
            most = max(most, high[w]);
        }
        ranges[blockIdx.x] = most - least;
    }
}
