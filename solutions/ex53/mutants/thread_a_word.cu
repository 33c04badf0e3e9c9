// A thread for every 32 elements.
//@ mutant goal: nobody has to ask who else is there, and neighbouring lanes read words 128 bytes apart
//@ let    m = ceil_div(n, 32)
//@ launch compact<<<ceil_div(m, 64), 64>>>(x, kept, n, m)

__global__ void compact(const int* x, int* kept, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * 32, n);
    int place = j * 32;
    for (int i = j * 32; i < end; ++i)
        if (x[i] > 0) kept[place++] = x[i];
    for (; place < end; ++place) kept[place] = 0;
}
