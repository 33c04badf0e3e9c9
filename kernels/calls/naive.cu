// Two numbers approach each other, in 32 rounds with a step of each.
// Flaw: the step is two instructions but a separate function, with a call, a
// return, and moves of its arguments and its result.
//@ let    block = 256
//@ launch approach<<<ceil_div(n, block), block>>>(a, b, y, n)

__device__ __noinline__ float toward(float from, float to, float part)
{
    return from + part * (to - from);
}

__global__ void approach(const float* a, const float* b, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float p = a[i];
    float q = b[i];
    #pragma unroll 1
    for (int round = 0; round < 32; ++round) {
        p = toward(p, q, 0.125f);
        q = toward(q, p, 0.0625f);
    }
    y[i] = p - q;
}
