// How long was a signal positive without a break? The longest run of positive samples in every 256.
// Flaw: eight rounds through shared memory, and the whole block waits after each, although at most half of it has work.
//@ let    block = 256
//@ launch longest_run<<<ceil_div(n, block), block>>>(x, longest, n)

constexpr int block = 256;

// Of some samples: positive ones at the start and at the end, and the longest run.
struct Stretch {
    int begin, end, best;
};

// Two stretches of `length` samples each, `left` just before `right`.
__device__ Stretch join(Stretch left, Stretch right, int length)
{
    Stretch both;
    both.begin = left.begin == length ? length + right.begin : left.begin;
    both.end = right.end == length ? length + left.end : right.end;
    both.best = max(max(left.best, right.best), left.end + right.begin);
    return both;
}

__global__ void longest_run(const int* x, int* longest, int n)
{
    __shared__ Stretch s[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    int positive = i < n && x[i] > 0;
    s[t] = {positive, positive, positive};
    __syncthreads();

    for (int k = 1; k < block; k *= 2) {
        if ((t & (2 * k - 1)) == 0) s[t] = join(s[t], s[t + k], k);
        __syncthreads();
    }

    if (t == 0) longest[blockIdx.x] = s[0].best;
}
