// A thread a result, four samples a load, in a grid whose other warps do nothing.
//@ mutant goal: there are as many warps as in the solution, and all but four leave at once
//@ let    block = 256
//@ let    wanted = ceil_div(n, 256)
//@ launch longest_run<<<ceil_div(32 * wanted, block), block>>>(x, longest, n)

__global__ void longest_run(const int* x, int* longest, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= (n + 255) / 256) return;

    int run = 0, best = 0;
    auto see = [&](int v) { run = v > 0 ? run + 1 : 0; best = max(best, run); };
    int i = j * 256, end = min(i + 256, n);
    for (; i + 4 <= end; i += 4) {
        int4 q = *reinterpret_cast<const int4*>(x + i);
        see(q.x);
        see(q.y);
        see(q.z);
        see(q.w);
    }
    for (; i < end; ++i) see(x[i]);
    longest[j] = best;
}
