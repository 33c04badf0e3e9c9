// The four largest of 32 samples of each pixel, the largest first.
// Flaw: a pragma keeps the inner loop from being unrolled, to save code. So j is a variable, best[] is indexed by it, and all five
// values live in local memory.
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, four, n)

__global__ void largest(const float* x, float* four, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float best[5] = {-2.0f, -2.0f, -2.0f, -2.0f, -2.0f};
    for (int k = 0; k < 32; ++k) {
        float value = x[k * n + i];
        int at = 0;
        while (at < 4 && best[at] >= value) ++at;
        #pragma unroll 1
        for (int j = 4; j > at; --j) best[j] = best[j - 1];
        best[at] = value;
    }
    for (int j = 0; j < 4; ++j) four[j * n + i] = best[j];
}
