// A thread a range, four elements a load, and warps that do nothing.
//@ mutant goal: the grid is as large as before, and all but two warps leave at once
//@ launch block_ranges<<<ceil_div(n, block), block>>>(x, ranges, n)

__global__ void block_ranges(const int* x, int* ranges, int n)
{
    int block = blockDim.x;
    int j = blockIdx.x * block + threadIdx.x;
    if (j >= (n + block - 1) / block) return;

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
