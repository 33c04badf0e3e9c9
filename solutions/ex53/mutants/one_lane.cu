// Lane 0 does the warp's work.
//@ mutant goal: 31 lanes of 32 do nothing
//@ let    block = 128
//@ launch compact<<<ceil_div(n, block), block>>>(x, kept, n)

__global__ void compact(const int* x, int* kept, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 32 != 0 || i >= n) return;

    int end = min(i + 32, n);
    int place = i;
    for (; i < end; ++i)
        if (x[i] > 0) kept[place++] = x[i];
    for (; place < end; ++place) kept[place] = 0;
}
