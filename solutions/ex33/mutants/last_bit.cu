// The last bit of every sample is taken for something else.
//@ mutant wrong-result: the largest of numbers is one of them, not one beside it
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, four, n)

__global__ void largest(const float* x, float* four, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float best[4] = {-2.0f, -2.0f, -2.0f, -2.0f};
    for (int k = 0; k < 32; ++k) {
        float value = __int_as_float(__float_as_int(x[k * n + i]) & ~1);
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            float larger = fmaxf(best[j], value);
            value = fminf(best[j], value);
            best[j] = larger;
        }
    }
    #pragma unroll
    for (int j = 0; j < 4; ++j) four[j * n + i] = best[j];
}
