// Lets a thread go through 256 samples.
//@ mutant goal: few threads have work, and neighbours read 1 KiB apart
//@ let    block = 64
//@ let    wanted = ceil_div(n, 256)
//@ launch longest_run<<<ceil_div(wanted, block), block>>>(x, longest, n)

__global__ void longest_run(const int* x, int* longest, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int first = j * 256;
    if (first >= n) return;

    int run = 0;
    int best = 0;
    for (int i = first; i < min(first + 256, n); ++i) {
        run = x[i] > 0 ? run + 1 : 0;
        best = max(best, run);
    }
    longest[j] = best;
}
