// The oracle, in integers: every symbol is counted by itself, from the largest
// down.
//@ launch modes_reference<<<ceil_div(n, 128), 128>>>(words, mode, n)

__global__ void modes_reference(const unsigned* words, int* mode, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int best = 0;
    int most = -1;
    for (int s = 15; s >= 0; --s) {
        int count = 0;
        for (int k = 0; k < 64; ++k) {
            unsigned word = words[k / 8 * n + i];
            if ((word >> 4 * (k % 8) & 15) == s) ++count;
        }
        if (count >= most) {
            most = count;
            best = s;
        }
    }
    mode[i] = best;
}
