//@ mutant wrong-result: a sample may be smaller than what the four begin with
//@ launch largest<<<ceil_div(n, 256), 256>>>(x, four, n)
__global__ void largest(const float* x, float* four, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float best[4] = {-1.94f, -1.94f, -1.94f, -1.94f};
    for (int k = 0; k < 32; ++k) {
        float value = x[k * n + i];
        #pragma unroll
        for (int j = 0; j < 4; ++j) { float l = fmaxf(best[j], value); value = fminf(best[j], value); best[j] = l; }
    }
    for (int j = 0; j < 4; ++j) four[j * n + i] = best[j];
}
