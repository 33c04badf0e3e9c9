// The same averages in registers. They are indexed by constants only, in fully unrolled loops.
//@ let    block = 256
//@ launch averages<<<ceil_div(n, block), block>>>(x, y, rounds, n)

__global__ void averages(const float* x, float* y, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[32];
    if (i >= n) return;

    #pragma unroll
    for (int j = 0; j < 32; ++j) v[j] = j * (1.0f / 64);

    #pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        float next = x[(long long)r * n + i];
        #pragma unroll
        for (int j = 0; j < 32; ++j) v[j] = v[j] * (0.5f - j * (1.0f / 256)) + next;
    }

    float sum = 0.0f;
    #pragma unroll
    for (int j = 0; j < 32; ++j) sum += v[j];
    y[i] = sum;
}
