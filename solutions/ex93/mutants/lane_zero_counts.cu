// Ballots for all, and lane 0 goes through the words alone.
//@ mutant goal: 31 lanes wait for one
//@ let    block = 256
//@ let    wanted = ceil_div(n, 256)
//@ launch longest_run<<<ceil_div(32 * wanted, block), block>>>(x, longest, n)

__global__ void longest_run(const int* x, int* longest, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (warp * 256 >= n) return;        // the same for all lanes of the warp

    unsigned words[8];
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = warp * 256 + 32 * k + lane;
        words[k] = __ballot_sync(0xffffffffu, i < n && x[i] > 0);
    }
    if (lane > 0) return;

    int run = 0;
    int best = 0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        for (int bit = 0; bit < 32; ++bit) {
            run = words[k] >> bit & 1 ? run + 1 : 0;
            best = max(best, run);
        }
    }
    longest[warp] = best;
}
