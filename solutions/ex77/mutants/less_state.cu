// Keeps half of the averages in shared memory.
//@ mutant goal: half of the loads and stores are still there
//@ let    block = 256
//@ launch averages<<<ceil_div(n, block), block>>>(x, y, rounds, n)

__global__ void averages(const float* x, float* y, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ volatile float s[16][256];
    float v[32];
    if (i >= n) return;

    #pragma unroll
    for (int j = 0; j < 32; ++j) {
        v[j] = j * (1.0f / 64);
        if (j < 16) s[j % 16][threadIdx.x] = v[j];
    }

    #pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        float next = x[(long long)r * n + i];
        #pragma unroll
        for (int j = 0; j < 32; ++j) {
            float old = j < 16 ? s[j % 16][threadIdx.x] : v[j];
            v[j] = old * (0.5f - j * (1.0f / 256)) + next;
            if (j < 16) s[j % 16][threadIdx.x] = v[j];
        }
    }

    float sum = 0.0f;
    #pragma unroll
    for (int j = 0; j < 32; ++j) sum += v[j];
    y[i] = sum;
}
