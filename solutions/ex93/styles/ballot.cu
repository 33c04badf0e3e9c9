// A ballot for every 32 samples; a lane finds the runs of one word of bits, and three rounds join eight of them.
//@ let    block = 256
//@ let    wanted = ceil_div(n, 256)
//@ launch longest_run<<<ceil_div(32 * wanted, block), block>>>(x, longest, n)
__global__ void longest_run(const int* x, int* longest, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (warp * 256 >= n) return;
    unsigned mine = 0;
    for (int k = 0; k < 8; ++k) {
        int i = warp * 256 + 32 * k + lane;
        unsigned bits = __ballot_sync(~0u, i < n && x[i] > 0);
        if (lane == k) mine = bits;
    }
    // Lane k < 8 has samples 32 k to 32 k + 31.
    int begin = mine == ~0u ? 32 : __ffs(~mine) - 1;
    int end = mine == ~0u ? 32 : __clz(~mine);
    int best = 0;
    for (unsigned m = mine; m; m &= m << 1) ++best;
    for (int k = 1; k < 8; k *= 2) {
        int b = __shfl_down_sync(~0u, begin, k), e = __shfl_down_sync(~0u, end, k), o = __shfl_down_sync(~0u, best, k);
        int length = 32 * k;
        best = max(max(best, o), end + b);
        int nb = begin == length ? length + b : begin;
        end = e == length ? length + end : e;
        begin = nb;
    }
    if (lane == 0) longest[warp] = best;
}
