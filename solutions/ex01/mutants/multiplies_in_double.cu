// Widens and narrows by shifting bits, so that no F2F is needed, and multiplies in double precision.
//@ mutant goal: the product still runs on the double units, under another opcode
//@ let    block = 256
//@ launch cool<<<ceil_div(n, block), block>>>(32, before, after, n)

// The bits of a float as a double's, which is 2^896 times too small.
__device__ double widen(float x)
{
    long long bits = __float_as_int(x);
    return __longlong_as_double((bits >> 31 << 63) | (bits & 0x7fffffff) << 29);
}

__device__ float narrow(double x)
{
    long long bits = __double_as_longlong(x);
    return __int_as_float((int)(bits >> 63 << 31) | (int)(((bits & 0x7fffffffffffffff) + (1 << 28)) >> 29));
}

__global__ void cool(int steps, const float* before, float* after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = before[i];
    for (int k = 0; k < steps; ++k) {
        float gap = 20.0f - t;
        double step = __dmul_rn(__dmul_rn(0.1, 0x1p896), widen(gap));
        t += narrow(__dmul_rn(step, 0x1p-896));
    }

    after[i] = t;
}
