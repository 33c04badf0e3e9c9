// Blocks that stay, as many as the device has multiprocessors, with one barrier a turn.
//@ mutant race: a fast warp stores its word of the next turn while the first warp still reads those of this one
//@ let    block = 256
//@ launch longest_run<<<sms, block>>>(x, longest, n)

__global__ void longest_run(const int* x, int* longest, int n)
{
    __shared__ unsigned words[8];
    int t = threadIdx.x;
    for (int first = 256 * blockIdx.x; first < n; first += 256 * gridDim.x) {
        int i = first + t;
        unsigned word = __ballot_sync(0xffffffffu, i < n && x[i] > 0);
        if (t % 32 == 0) words[t / 32] = word;
        __syncthreads();

        if (t < 32) {
            word = t < 8 ? words[t] : 0;
            int begin = word == ~0u ? 32 : __ffs(~word) - 1;
            int end = __clz(~word);
            int best = 0;
            for (unsigned runs = word; runs; runs &= runs >> 1) ++best;
            for (int k = 1, length = 32; k < 8; k *= 2, length *= 2) {
                int next_begin = __shfl_down_sync(0xffffffffu, begin, k);
                int next_end = __shfl_down_sync(0xffffffffu, end, k);
                int next_best = __shfl_down_sync(0xffffffffu, best, k);
                best = max(max(best, next_best), end + next_begin);
                begin = begin == length ? length + next_begin : begin;
                end = next_end == length ? length + end : next_end;
            }
            if (t == 0) longest[first / 256] = best;
        }
    }
}
