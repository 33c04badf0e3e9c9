// The oracle: one thread a result, sample after sample.
//@ let    m = ceil_div(n, 256)
//@ launch longest_run_reference<<<ceil_div(m, 64), 64>>>(x, longest, n, m)

__global__ void longest_run_reference(const int* x, int* longest, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * 256, n);
    int run = 0;
    int best = 0;
    for (int i = j * 256; i < end; ++i) {
        run = x[i] > 0 ? run + 1 : 0;
        if (run > best) best = run;
    }

    longest[j] = best;
}
