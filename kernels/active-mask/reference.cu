// The oracle: one thread a word, bit after bit.
//@ let    words = ceil_div(n, 32)
//@ launch above_reference<<<ceil_div(words, 64), 64>>>(x, bits, n, words)

__global__ void above_reference(const float* x, unsigned* bits, int n, int words)
{
    int w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words) return;

    unsigned word = 0;
    for (int bit = 0; bit < 32; ++bit) {
        int i = w * 32 + bit;
        if (i >= n) break;
        if (x[i] > 0.5f) word |= 1u << bit;
    }

    bits[w] = word;
}
