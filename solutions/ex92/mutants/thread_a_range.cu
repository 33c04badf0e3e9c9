// A thread a range, four elements a load.
//@ mutant goal: no barrier and few instructions, and few threads, whose loads lie a kilobyte apart
//@ let    wanted = ceil_div(n, block)
//@ launch block_ranges<<<ceil_div(wanted, 64), 64>>>(x, ranges, n, wanted, block)

__global__ void block_ranges(const int* x, int* ranges, int n, int wanted, int block)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= wanted) return;

    int least = x[j * block], most = least;
    auto see = [&](int v) { least = min(least, v); most = max(most, v); };
    int i = j * block, end = min(i + block, n);
    for (; i + 4 <= end; i += 4) {
        int4 q = *reinterpret_cast<const int4*>(x + i);
        see(q.x);
        see(q.y);
        see(q.z);
        see(q.w);
    }
    for (; i < end; ++i) see(x[i]);
    ranges[j] = most - least;
}
