// One pass over squares in double precision, widened and narrowed by shifts.
//@ mutant goal: no F2F, and everything on the double units
//@ let     block = 256
//@ let     grid = min(ceil_div(n, 16 * block), 8 * sms)
//@ scratch parts: f64[2 * grid]
//@ launch  describe<<<grid, block>>>(x, parts, n)
//@ launch  finish<<<1, 32>>>(parts, mean, variance, grid, n)

constexpr int block = 256;

// The bits of a float as a double's, which is 2^896 times too small.
__device__ double widen(float x)
{
    long long bits = __float_as_int(x);
    return __longlong_as_double((bits >> 31 << 63) | (bits & 0x7fffffff) << 29) * 0x1p896;
}

__device__ float narrow(double x)
{
    long long bits = __double_as_longlong(x * 0x1p-896);
    return __int_as_float((int)(bits >> 63 << 31) | (int)(((bits & 0x7fffffffffffffff) + (1 << 28)) >> 29));
}

__global__ void describe(const float* x, double* parts, int n)
{
    __shared__ double share[2][block];
    int t = threadIdx.x;
    double sum = 0.0, squares = 0.0;
    #pragma unroll 4
    for (int i = blockIdx.x * block + t; i < n; i += gridDim.x * block) {
        double v = widen(x[i]);
        sum += v;
        squares += v * v;
    }
    share[0][t] = sum;
    share[1][t] = squares;
    __syncthreads();
    if (t < 2) {
        double all = 0.0;
        for (int i = 0; i < block; ++i) all += share[t][i];
        parts[2 * blockIdx.x + t] = all;
    }
}

__global__ void finish(const double* parts, float* mean, float* variance, int grid, int n)
{
    if (threadIdx.x != 0) return;
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < grid; ++i) {
        sum += parts[2 * i];
        squares += parts[2 * i + 1];
    }
    // Division by n in double precision without a conversion of n.
    double count = 0.0;
    for (int bit = 30; bit >= 0; --bit) count = 2.0 * count + (n >> bit & 1 ? 1.0 : 0.0);
    *mean = narrow(sum / count);
    *variance = narrow(squares / count - (sum / count) * (sum / count));
}
