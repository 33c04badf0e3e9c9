// Smooths a signal: a quarter, a half and a quarter of three neighbours.
// Flaw: the code behind `inspect` has not run for years, but every thread still gets its registers.
//@ let    block = 256
//@ launch smooth<<<ceil_div(n, block), block>>>(x, y, n, 0)

__device__ float median_of_32(const float* x, int i, int n)
{
    float v[32];
    #pragma unroll
    for (int k = 0; k < 32; ++k) v[k] = x[min(i + k, n - 1)];
    #pragma unroll
    for (int round = 0; round < 32; ++round) {
        #pragma unroll
        for (int k = round % 2; k + 1 < 32; k += 2) {
            float low = fminf(v[k], v[k + 1]);
            v[k + 1] = fmaxf(v[k], v[k + 1]);
            v[k] = low;
        }
    }
    return v[16];
}

__global__ void smooth(const float* x, float* y, int n, int inspect)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float left = x[max(i - 1, 0)];
    float right = x[min(i + 1, n - 1)];
    float middle = 0.25f * left + 0.5f * x[i] + 0.25f * right;
    if (inspect != 0) middle -= median_of_32(x, i, n);
    y[i] = middle;
}
