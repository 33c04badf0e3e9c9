// One element in `rare` is stirred 256 times, the others 8 times. way 1: as they come. way 2: within a block the long ones come first,
// so that they share warps.
//@ launch stir<way><<<ceil_div(n, 256), 256>>>(seed, drawn, out, rare, n)

template <int way>
__global__ void stir(const unsigned* seed, const int* drawn, unsigned* out, int rare, int n)
{
    __shared__ int longs[8];
    __shared__ int order[256];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    int i = blockIdx.x * 256 + t;

    if (way == 2) {
        bool takes_long = i < n && drawn[i] % rare == 0;
        unsigned ballot = __ballot_sync(0xffffffffu, takes_long);
        if (lane == 0) longs[warp] = __popc(ballot);
        __syncthreads();
        int before = __popc(ballot & ((1u << lane) - 1)), all = 0;
        for (int w = 0; w < 8; ++w) {
            if (w < warp) before += longs[w];
            all += longs[w];
        }
        order[takes_long ? before : all + t - before] = i;
        __syncthreads();
        i = order[t];
    }

    if (i >= n) return;
    unsigned s = seed[i];
    int count = drawn[i] % rare == 0 ? 256 : 8;
    #pragma unroll 1
    for (int k = 0; k < count; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    out[i] = s;
}
