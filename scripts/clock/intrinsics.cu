// How wrong are the short functions, and how fast? Every float of an interval, all bit patterns of it, through a function and through the
// same function in double precision; then the same floats through the function alone, against the clock.
//
//   nvcc -arch=native -O3 -o intrinsics scripts/clock/intrinsics.cu && ./intrinsics > book/results/DEVICE/tables/intrinsics.json
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                      \
            return 3;                                                                                 \
        }                                                                                             \
    } while (0)

#define FUNCTION(name, code, exact)                                          \
    struct name {                                                            \
        static __device__ float of(float x) { return code; }                 \
        static __device__ double truth(double x) { return exact; }           \
    };
__device__ float short_tanh(float x)
{
    float y;
    asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
FUNCTION(Sin, sinf(x), sin(x))
FUNCTION(ShortSin, __sinf(x), sin(x))
FUNCTION(Exp, expf(x), exp(x))
FUNCTION(ShortExp, __expf(x), exp(x))
FUNCTION(Log, logf(x), log(x))
FUNCTION(ShortLog, __logf(x), log(x))
FUNCTION(Tanh, tanhf(x), tanh(x))
FUNCTION(ShortTanh, short_tanh(x), tanh(x))
FUNCTION(Third, 1.0f / x, 1.0 / x)
FUNCTION(ShortThird, __fdividef(1.0f, x), 1.0 / x)
FUNCTION(Root, 1.0f / sqrtf(x), 1.0 / sqrt(x))
FUNCTION(ShortRoot, rsqrtf(x), 1.0 / sqrt(x))

// The largest errors so far: in units of the last place of the float nearest to the truth, and absolute. Both are not negative, so that
// their bits are in the order of the numbers.
template <class F>
__global__ void errors(float lo, float hi, unsigned long long* ulps, unsigned long long* absolute)
{
    double worst_ulp = 0.0, worst = 0.0;
    uint64_t stride = uint64_t(gridDim.x) * blockDim.x;
    for (uint64_t bits = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; bits < (1ull << 32); bits += stride) {
        float x = __uint_as_float(uint32_t(bits));
        if (!(x >= lo && x <= hi)) continue;
        double truth = F::truth(x);
        float near = float(truth);
        // Results that a float cannot hold, or only with fewer digits, are another subject.
        if (!isfinite(near) || fabsf(near) < FLT_MIN) continue;
        double error = fabs(double(F::of(x)) - truth);
        int exponent;
        frexp(truth, &exponent);
        double ulp = error / ldexp(1.0, exponent - 24);
        worst_ulp = fmax(worst_ulp, ulp);
        worst = fmax(worst, error);
    }
    atomicMax(ulps, (unsigned long long)__double_as_longlong(worst_ulp));
    atomicMax(absolute, (unsigned long long)__double_as_longlong(worst));
}

// Eight numbers of the interval in turn for each thread, kept in registers; nothing but the function.
template <class F>
__global__ void speed(float lo, float hi, int rounds, float* sink)
{
    float part = (hi - lo) / (gridDim.x * blockDim.x);
    float x = lo + part * (blockIdx.x * blockDim.x + threadIdx.x);
    float sum = 0.0f;
    for (int round = 0; round < rounds; ++round) {
        #pragma unroll
        for (int k = 0; k < 8; ++k) sum += F::of(x + part * (0.1f * k));
        x = lo + (x - lo) * 0.999f;
    }
    if (sum == 1234.5f) *sink = sum;
}

struct Row {
    std::string name;
    double ulp, absolute, rate;
};

template <class F>
int measure(std::vector<Row>& rows, const char* name, float lo, float hi, float slow, float shigh, bool with_absolute)
{
    unsigned long long* worst;
    float* sink;
    CHECK(cudaMalloc(&worst, 2 * sizeof *worst));
    CHECK(cudaMalloc(&sink, sizeof *sink));
    CHECK(cudaMemset(worst, 0, 2 * sizeof *worst));
    errors<F><<<1056, 256>>>(lo, hi, worst, worst + 1);
    double found[2];
    CHECK(cudaMemcpy(found, worst, sizeof found, cudaMemcpyDeviceToHost));

    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    cudaEvent_t before, after;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    const int grid = 8 * device.multiProcessorCount, rounds = 2000;
    float best = 1e30f;
    for (int k = 0; k < 5; ++k) {
        CHECK(cudaEventRecord(before));
        speed<F><<<grid, 256>>>(slow, shigh, rounds, sink);
        CHECK(cudaEventRecord(after));
        CHECK(cudaEventSynchronize(after));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, before, after));
        best = ms < best ? ms : best;
    }
    rows.push_back({name, found[0], with_absolute ? found[1] * (1 << 24) : -1.0, 8.0 * rounds * grid * 256 / best / 1e6});
    return 0;
}

int main()
{
    std::vector<Row> rows;
    const float pi = 3.14159265f, all = FLT_MAX;
    int failed = 0;
    failed |= measure<Sin>(rows, "sinf of all floats", -all, all, -pi, pi, true);
    failed |= measure<ShortSin>(rows, "__sinf from -π to π", -pi, pi, -pi, pi, true);
    failed |= measure<ShortSin>(rows, "__sinf from -100 to 100", -100.0f, 100.0f, -pi, pi, true);
    failed |= measure<Exp>(rows, "expf of all floats", -all, all, -10.0f, 10.0f, false);
    failed |= measure<ShortExp>(rows, "__expf from -10 to 10", -10.0f, 10.0f, -10.0f, 10.0f, false);
    failed |= measure<ShortExp>(rows, "__expf of all floats", -all, all, -10.0f, 10.0f, false);
    failed |= measure<Log>(rows, "logf of positive floats", FLT_MIN, all, 0.1f, 10.0f, false);
    failed |= measure<ShortLog>(rows, "__logf from 2 on", 2.0f, all, 2.0f, 20.0f, false);
    failed |= measure<ShortLog>(rows, "__logf from 0.5 to 2", 0.5f, 2.0f, 0.5f, 2.0f, true);
    failed |= measure<Tanh>(rows, "tanhf of all floats", -all, all, -4.0f, 4.0f, true);
    failed |= measure<ShortTanh>(rows, "tanh.approx of all floats", -all, all, -4.0f, 4.0f, true);
    failed |= measure<Third>(rows, "1 / x of all floats", -all, all, 0.1f, 10.0f, false);
    failed |= measure<ShortThird>(rows, "__fdividef up to 2^126", -8.5e37f, 8.5e37f, 0.1f, 10.0f, false);
    failed |= measure<Root>(rows, "1 / sqrtf of positive floats", FLT_MIN, all, 0.1f, 10.0f, false);
    failed |= measure<ShortRoot>(rows, "rsqrtf of positive floats", FLT_MIN, all, 0.1f, 10.0f, false);
    if (failed) return failed;

    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    char date[16];
    std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::printf("{\n \"schema\": 1,\n \"title\": \"Functions, their largest errors and their rates\",\n \"device\": \"%s\",\n", device.name);
    std::printf(" \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n \"command\": \"scripts/clock/intrinsics.cu\",\n", __CUDACC_VER_MAJOR__,
                __CUDACC_VER_MINOR__, date);
    std::printf(" \"row\": \"function\",\n");
    std::printf(" \"columns\": [{\"name\": \"largest error\", \"unit\": \"ulp\"}, {\"name\": \"absolute error\", \"unit\": \"2^-24\"}, {\"name\": \"rate\", \"unit\": \"10^9 per second\"}],\n \"rows\": [\n");
    for (size_t k = 0; k < rows.size(); ++k) {
        std::printf("  {\"name\": \"%s\", \"values\": [%.4g, ", rows[k].name.c_str(), rows[k].ulp);
        if (rows[k].absolute < 0) std::printf("null");
        else std::printf("%.4g", rows[k].absolute);
        std::printf(", %.0f]}%s\n", rows[k].rate, k + 1 < rows.size() ? "," : "");
    }
    std::printf(" ]\n}\n");
}
