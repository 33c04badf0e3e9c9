// A ballot for every 32 samples; runs of a word by shifts, joined in order by one lane.
//@ let    block = 256
//@ let    wanted = ceil_div(n, 256)
//@ launch longest_run<<<ceil_div(32 * wanted, block), block>>>(x, longest, n)

__global__ void longest_run(const int* x, int* longest, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (warp * 256 >= n) return;

    int run = 0, best = 0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = warp * 256 + 32 * k + lane;
        unsigned word = __ballot_sync(0xffffffffu, i < n && x[i] > 0);
        if (word == 0xffffffffu) {
            run += 32;
            best = max(best, run);
            continue;
        }
        // All lanes know the word, so no lane goes another way.
        best = max(best, run + __ffs(~word) - 1);
        run = __clz(~word);
        unsigned left = word;
        int inside = 0;
        while (left != 0) {
            left &= left << 1;
            ++inside;
        }
        best = max(best, inside);
    }
    best = max(best, run);
    if (lane == 0) longest[warp] = best;
}
