// Keeps the five places in shared memory.
//@ mutant goal: a load and a store for every step, in another memory
//@ let    block = 256
//@ launch largest<<<ceil_div(n, block), block>>>(x, four, n)

__global__ void largest(const float* x, float* four, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    __shared__ float places[5][256];
    float (*best)[256] = places;
    int t = threadIdx.x;
    for (int j = 0; j < 5; ++j) best[j][t] = -2.0f;
    for (int k = 0; k < 32; ++k) {
        float value = x[k * n + i];
        int at = 0;
        while (at < 4 && best[at][t] >= value) ++at;
        #pragma unroll 1
        for (int j = 4; j > at; --j) best[j][t] = best[j - 1][t];
        best[at][t] = value;
    }
    for (int j = 0; j < 4; ++j) four[j * n + i] = best[j][t];
}
