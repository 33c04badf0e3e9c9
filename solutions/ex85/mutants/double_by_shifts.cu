// Squares in double precision, widened and narrowed by shifts.
//@ mutant goal: no F2F, and every square on the double units
//@ let    block = 256
//@ let    norms_wanted = ceil_div(n, 256)
//@ launch row_norms<<<ceil_div(32 * norms_wanted, block), block>>>(x, norms, n)

// The bits of a float as a double's, which is 2^896 times too small.
__device__ double widen(float x)
{
    long long bits = __float_as_int(x) & 0x7fffffff;
    return __longlong_as_double(bits << 29) * 0x1p896;
}

__device__ float narrow(double x)
{
    return __int_as_float((int)((__double_as_longlong(x * 0x1p-896) + (1 << 28)) >> 29));
}

__global__ void row_norms(const float* x, float* norms, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256;
    if (first >= n) return;

    double sum = 0.0;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + 32 * k + lane;
        double v = i < n ? widen(x[i]) : 0.0;
        sum += v * v;
    }
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) norms[warp] = narrow(sqrt(sum));
}
