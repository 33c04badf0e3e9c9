// Right at every size that is simulated whole.
//@ mutant wrong-result: the two largest are exchanged in the second half of a large input, where results of one thread lie far apart
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, four, n)

__global__ void largest(const float* x, float* four, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float best[4] = {-2.0f, -2.0f, -2.0f, -2.0f};
    for (int k = 0; k < 32; ++k) {
        float value = x[k * n + i];
        #pragma unroll
        for (int j = 0; j < 4; ++j) {
            float larger = fmaxf(best[j], value);
            value = fminf(best[j], value);
            best[j] = larger;
        }
    }
    #pragma unroll
    for (int j = 0; j < 4; ++j) four[j * n + i] = best[i < 8000000 ? j : j ^ 1];
}
