// The averages in registers, and the numbers of the next eight rounds loaded while those of the present eight are used.
//@ let    block = 128
//@ launch averages<<<ceil_div(n, block), block>>>(x, y, rounds, n)

__global__ void averages(const float* x, float* y, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[32];
    if (i >= n) return;

    #pragma unroll
    for (int j = 0; j < 32; ++j) v[j] = j * (1.0f / 64);

    float next[8];
    #pragma unroll
    for (int k = 0; k < 8; ++k) next[k] = k < rounds ? x[(long long)k * n + i] : 0.0f;
    #pragma unroll 1
    for (int r = 0; r < rounds; r += 8) {
        float now[8];
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            now[k] = next[k];
            if (r + 8 + k < rounds) next[k] = x[(long long)(r + 8 + k) * n + i];
        }
        #pragma unroll
        for (int k = 0; k < 8; ++k) {
            if (r + k >= rounds) break;
            #pragma unroll
            for (int j = 0; j < 32; ++j) v[j] = v[j] * (0.5f - j * (1.0f / 256)) + now[k];
        }
    }

    float sum = 0.0f;
    #pragma unroll
    for (int j = 0; j < 32; ++j) sum += v[j];
    y[i] = sum;
}
