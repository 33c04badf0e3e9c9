// Thirty-two running averages of a row of numbers per thread, each with a memory of its own length; the sum of all is wanted.
// Flaw: the averages are in shared memory, to save registers and have more threads on an SM. Each step loads and stores all of them.
//@ let    block = 256
//@ launch averages<<<ceil_div(n, block), block>>>(x, y, rounds, n)

__global__ void averages(const float* x, float* y, int rounds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ volatile float v[32][256];
    if (i >= n) return;

    #pragma unroll
    for (int j = 0; j < 32; ++j) v[j][threadIdx.x] = j * (1.0f / 64);

    #pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        float next = x[(long long)r * n + i];
        #pragma unroll
        for (int j = 0; j < 32; ++j) v[j][threadIdx.x] = v[j][threadIdx.x] * (0.5f - j * (1.0f / 256)) + next;
    }

    float sum = 0.0f;
    #pragma unroll
    for (int j = 0; j < 32; ++j) sum += v[j][threadIdx.x];
    y[i] = sum;
}
