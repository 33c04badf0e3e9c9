// Makes one function of a whole round, and calls that.
//@ mutant goal: half as many calls are still calls
//@ let    block = 256
//@ launch approach<<<ceil_div(n, block), block>>>(a, b, y, n)

__device__ float toward(float from, float to, float part)
{
    return from + part * (to - from);
}

__device__ __noinline__ float2 one_round(float p, float q)
{
    p = toward(p, q, 0.125f);
    q = toward(q, p, 0.0625f);
    return make_float2(p, q);
}

__global__ void approach(const float* a, const float* b, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float p = a[i];
    float q = b[i];
    #pragma unroll 1
    for (int round = 0; round < 32; ++round) {
        float2 both = one_round(p, q);
        p = both.x; q = both.y;
    }
    y[i] = p - q;
}
