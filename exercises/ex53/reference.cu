// The oracle: one thread for every 32 elements.
//@ let    m = ceil_div(n, 32)
//@ launch compact_reference<<<ceil_div(m, 64), 64>>>(x, kept, n, m)

__global__ void compact_reference(const int* x, int* kept, int n, int m)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= m) return;

    int end = min((j + 1) * 32, n);
    int place = j * 32;
    for (int i = j * 32; i < end; ++i) {
        if (x[i] > 0) {
            kept[place] = x[i];
            place += 1;
        }
    }
    for (; place < end; ++place) kept[place] = 0;
}
