// Lets both step towards where the other was.
//@ mutant wrong-result: the second step needs what the first has made
//@ let    block = 256
//@ launch approach<<<ceil_div(n, block), block>>>(a, b, y, n)

__device__ float toward(float from, float to, float part)
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
        float before = p; p = toward(p, q, 0.125f);
        q = toward(q, before, 0.0625f);
    }
    y[i] = p - q;
}
