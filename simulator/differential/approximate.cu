// How far this machine's approximate instructions are from the simulator's: every input, or 2^32 random pairs.
// Usage: approximate > approximate.txt, on a machine with an sm_90 GPU or newer. A line a function:
//   NAME INPUTS SPECIAL MAX_ABSOLUTE MAX_ULP MAX_AT COUNT_0 COUNT_1 COUNT_2 ...
// SPECIAL counts inputs where one result is NaN or infinite and the other is not the same. COUNT_0 counts equal bits,
// COUNT_k differences of 2^(k-1) to 2^k - 1 units in the last place. MAX_AT is the input with the most.
// The reference is what the simulator computes: double precision, rounded once.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

constexpr int BINS = 34;

struct Sums {
    unsigned long long special, max_absolute, max_ulp, bins[BINS];
};

#define UNARY(NAME, PTX, VALUE)                                                                                        \
    struct NAME {                                                                                                      \
        static __device__ float gpu(float a, float) {                                                                  \
            float d;                                                                                                   \
            asm(PTX " %0, %1;" : "=f"(d) : "f"(a));                                                                    \
            return d;                                                                                                  \
        }                                                                                                              \
        static __device__ double value(double x, double) { return VALUE; }                                             \
    };
#define BINARY(NAME, PTX)                                                                                              \
    struct NAME {                                                                                                      \
        static __device__ float gpu(float a, float b) {                                                                \
            float d;                                                                                                   \
            asm(PTX " %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b));                                                        \
            return d;                                                                                                  \
        }                                                                                                              \
        static __device__ double value(double x, double y) { return quotient(x, y); }                                  \
    };

static __device__ bool is_normal(float x) { return fabsf(x) >= 1.17549435e-38f && !isinf(x) && !isnan(x); }

// As the simulator divides: times the reciprocal, where all of it is normal numbers.
static __device__ double quotient(double x, double y) {
    const float reciprocal = __frcp_rn(float(y)), product = __fmul_rn(float(x), reciprocal);
    return is_normal(float(x)) && is_normal(reciprocal) && is_normal(product) ? product : x / y;
}

// The angle as the hardware and the simulator see it: turns, rounded towards zero to single.
static __device__ double angle(double x) {
    const double turns = __fmul_rz(float(x), __int_as_float(0x3e22f983));
    return (turns - floor(turns)) * 6.283185307179586;
}

UNARY(Ex2, "ex2.approx.f32", exp2(x))
UNARY(Ex2Ftz, "ex2.approx.ftz.f32", exp2(x))
UNARY(Lg2, "lg2.approx.f32", log2(x))
UNARY(Lg2Ftz, "lg2.approx.ftz.f32", log2(x))
UNARY(Rcp, "rcp.approx.f32", 1.0 / x)
UNARY(RcpFtz, "rcp.approx.ftz.f32", 1.0 / x)
UNARY(Sqrt, "sqrt.approx.f32", sqrt(x))
UNARY(SqrtFtz, "sqrt.approx.ftz.f32", sqrt(x))
UNARY(Rsqrt, "rsqrt.approx.f32", 1.0 / sqrt(x))
UNARY(RsqrtFtz, "rsqrt.approx.ftz.f32", 1.0 / sqrt(x))
UNARY(Sin, "sin.approx.f32", x == 0 ? x : sin(angle(x)))
UNARY(SinFtz, "sin.approx.ftz.f32", x == 0 ? x : sin(angle(x)))
UNARY(Cos, "cos.approx.f32", cos(angle(x)))
UNARY(CosFtz, "cos.approx.ftz.f32", cos(angle(x)))
UNARY(Tanh, "tanh.approx.f32", tanh(x))
BINARY(DivApprox, "div.approx.f32")
BINARY(DivApproxFtz, "div.approx.ftz.f32")
BINARY(DivFull, "div.full.f32")
BINARY(DivFullFtz, "div.full.ftz.f32")

static __device__ float flush(float x) { return fabsf(x) < 1.17549435e-38f ? copysignf(0.0f, x) : x; }

static __device__ long long place(uint32_t bits) {
    const long long magnitude = bits & 0x7fffffff;
    return bits >> 31 ? -magnitude : magnitude;
}

static __device__ uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static __device__ void add(Sums& sums, float got, float want, uint32_t at) {
    const bool odd = isnan(got) || isnan(want) || isinf(got) || isinf(want);
    if (odd) {
        const bool same = isnan(got) ? isnan(want) : got == want;
        if (same) ++sums.bins[0]; else ++sums.special;
        return;
    }
    const long long difference = place(__float_as_uint(got)) - place(__float_as_uint(want));
    const unsigned long long ulp = difference < 0 ? -difference : difference;
    const int bin = ulp ? 64 - __clzll(ulp) : 0;
    ++sums.bins[bin < BINS ? bin : BINS - 1];
    if (ulp > sums.max_ulp >> 32) sums.max_ulp = ulp << 32 | at;
    const double absolute = fabs(double(got) - double(want));
    if (__double_as_longlong(absolute) > (long long)sums.max_absolute) sums.max_absolute = __double_as_longlong(absolute);
}

static __device__ void merge(Sums* total, const Sums& own) {
    atomicAdd(&total->special, own.special);
    atomicMax(&total->max_absolute, own.max_absolute);
    atomicMax(&total->max_ulp, own.max_ulp);
    for (int bin = 0; bin < BINS; ++bin)
        if (own.bins[bin]) atomicAdd(&total->bins[bin], own.bins[bin]);
}

// Inputs with |a| from `low` to `high` as bits; pairs instead when PAIRS.
template <class F, bool FTZ, bool PAIRS>
__global__ void compare(Sums* total, uint32_t low, uint32_t high) {
    Sums own = {};
    const uint64_t threads = uint64_t(gridDim.x) * blockDim.x;
    for (uint64_t i = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x; i < 1ull << 32; i += threads) {
        const uint64_t bits = PAIRS ? mix(i) : i;
        float a = __uint_as_float(uint32_t(bits)), b = __uint_as_float(uint32_t(bits >> 32));
        const uint32_t magnitude = uint32_t(bits) & 0x7fffffff;
        if (magnitude < low || magnitude > high) continue;
        // The manual bounds quotients for |b| up to 2^126 only.
        if (PAIRS && fabsf(b) > 8.507059e37f) continue;
        const float got = F::gpu(a, b);
        if (FTZ) a = flush(a), b = flush(b);
        float want = float(F::value(a, b));
        if (FTZ) want = flush(want);
        add(own, got, want, uint32_t(bits));
    }
    merge(total, own);
}

static void show(const char* name, Sums* total) {
    if (cudaDeviceSynchronize() != cudaSuccess) {
        std::fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(cudaGetLastError()));
        std::exit(1);
    }
    unsigned long long inputs = total->special;
    int last = 0;
    for (int bin = 0; bin < BINS; ++bin) {
        inputs += total->bins[bin];
        if (total->bins[bin]) last = bin;
    }
    double absolute;
    __builtin_memcpy(&absolute, &total->max_absolute, 8);
    std::printf("%s %llu %llu %.6e %llu %08llx", name, inputs, total->special, absolute, total->max_ulp >> 32,
                total->max_ulp & 0xffffffff);
    for (int bin = 0; bin <= last; ++bin) std::printf(" %llu", total->bins[bin]);
    std::printf("\n");
}

template <class F, bool FTZ = false, bool PAIRS = false>
static void run(const char* name, Sums* total, uint32_t low = 0, uint32_t high = 0x7fffffff) {
    *total = Sums{};
    compare<F, FTZ, PAIRS><<<1056, 256>>>(total, low, high);
    show(name, total);
}

int main() {
    Sums* total;
    if (cudaMallocManaged(&total, sizeof *total) != cudaSuccess) return 1;
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    int driver = 0;
    cudaDriverGetVersion(&driver);
    std::printf("# %s, CUDA driver %d.%d\n", properties.name, driver / 1000, driver % 1000 / 10);
    const uint32_t two_pi = 0x40c90fdb;
    run<Ex2>("ex2.approx.f32", total);
    run<Ex2Ftz, true>("ex2.approx.ftz.f32", total);
    run<Lg2>("lg2.approx.f32", total);
    run<Lg2Ftz, true>("lg2.approx.ftz.f32", total);
    run<Rcp>("rcp.approx.f32", total);
    run<RcpFtz, true>("rcp.approx.ftz.f32", total);
    run<Sqrt>("sqrt.approx.f32", total);
    run<SqrtFtz, true>("sqrt.approx.ftz.f32", total);
    run<Rsqrt>("rsqrt.approx.f32", total);
    run<RsqrtFtz, true>("rsqrt.approx.ftz.f32", total);
    run<Sin>("sin.approx.f32,|a|<=2pi", total, 0, two_pi);
    run<Sin>("sin.approx.f32,|a|>2pi", total, two_pi + 1);
    run<SinFtz, true>("sin.approx.ftz.f32,|a|<=2pi", total, 0, two_pi);
    run<Cos>("cos.approx.f32,|a|<=2pi", total, 0, two_pi);
    run<Cos>("cos.approx.f32,|a|>2pi", total, two_pi + 1);
    run<CosFtz, true>("cos.approx.ftz.f32,|a|<=2pi", total, 0, two_pi);
    run<Tanh>("tanh.approx.f32", total);
    run<DivApprox, false, true>("div.approx.f32", total);
    run<DivApproxFtz, true, true>("div.approx.ftz.f32", total);
    run<DivFull, false, true>("div.full.f32", total);
    run<DivFullFtz, true, true>("div.full.ftz.f32", total);
}
