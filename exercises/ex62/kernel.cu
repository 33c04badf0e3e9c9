// Running totals: y[i] is the sum of x from the start of i's 256 elements up to x[i] itself (an inclusive scan).
// Flaw: eight rounds through shared memory, and in each the whole block waits twice: before it writes, and before it reads.
//@ let    block = 256
//@ launch running<<<ceil_div(n, block), block>>>(x, y, n)

constexpr int block = 256;

__global__ void running(const float* x, float* y, int n)
{
    __shared__ float s[block];
    int t = threadIdx.x;
    int i = blockIdx.x * block + t;

    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();

    for (int k = 1; k < block; k *= 2) {
        float before = t >= k ? s[t - k] : 0.0f;
        __syncthreads();
        s[t] += before;
        __syncthreads();
    }

    if (i < n) y[i] = s[t];
}
