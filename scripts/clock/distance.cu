// How far apart do two instructions have to be, if the second needs the first's result? One warp runs a long row of one instruction,
// as one chain (each needs the one before) and as eight (each needs the eighth before), and reads the SM's clock before and after.
//
//   nvcc -arch=native -O3 -o distance scripts/clock/distance.cu && ./distance > book/results/DEVICE/tables/distance.json
//
// A row is run three times and the last is taken, so that code and data are in the caches where they can be. What reading the clock and
// the loop cost is taken off by the difference of a short and a long row. Rates are medians over eleven launches.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>
#include <cuda_fp16.h>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                      \
            return 3;                                                                                 \
        }                                                                                             \
    } while (0)

constexpr int SHORT = 128;
constexpr int LONG = 640;

// Every instruction is volatile assembly: the compiler neither merges nor moves two of them. `%0` is the chain's own value.
#define FLOAT_OP(name, code)                                                                           \
    struct name {                                                                                      \
        using T = float;                                                                               \
        static __device__ T first(void*, int c) { return 1.0f + 0.001f * c; }                          \
        static __device__ void step(T& x) { asm volatile(code : "+f"(x) : "f"(0.75f), "f"(0.25f)); }   \
    };
#define INT_OP(name, code)                                                                             \
    struct name {                                                                                      \
        using T = uint32_t;                                                                            \
        static __device__ T first(void*, int c) { return 12345u + threadIdx.x + c; }                   \
        static __device__ void step(T& x) { asm volatile(code : "+r"(x) : "r"(77u), "r"(0x9e3779b9u)); } \
    };
FLOAT_OP(Ffma, "fma.rn.f32 %0, %0, %1, %2;")
FLOAT_OP(Fadd, "add.rn.f32 %0, %0, %1;")
FLOAT_OP(Fmul, "mul.rn.f32 %0, %0, %1;")
FLOAT_OP(Rsqrt, "rsqrt.approx.ftz.f32 %0, %0;")
FLOAT_OP(Exp2, "ex2.approx.ftz.f32 %0, %0;")
FLOAT_OP(Tanh, "tanh.approx.f32 %0, %0;")
INT_OP(Imad, "mad.lo.u32 %0, %0, %1, %2;")
INT_OP(Shf, "shf.l.wrap.b32 %0, %0, %2, 5;")
INT_OP(Popc, "popc.b32 %0, %0;")
INT_OP(Shfl, "shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;")
struct Dfma {
    using T = double;
    static __device__ T first(void*, int c) { return 1.0 + 0.001 * c; }
    static __device__ void step(T& x) { asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x) : "d"(0.75), "d"(0.25)); }
};
struct Hfma2 {
    using T = uint32_t;
    static __device__ T first(void*, int c) { return 0x3c003c00u + c; }
    static __device__ void step(T& x) { asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x) : "r"(0x3a003a00u), "r"(0x34003400u)); }
};

// Loads: a word holds the address of the next.
struct Lds {
    using T = uint32_t;
    static __device__ T first(void*, int c)
    {
        __shared__ uint32_t words[256];
        uint32_t at = (uint32_t)__cvta_generic_to_shared(words + 32 * c + threadIdx.x);
        words[32 * c + threadIdx.x] = at;
        __syncwarp();
        return at;
    }
    static __device__ void step(T& x) { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x)); }
};
struct Global {
    using T = uint64_t;
    static __device__ T first(void* memory, int c)
    {
        uint64_t* at = static_cast<uint64_t*>(memory) + 32 * c + threadIdx.x;
        *at = reinterpret_cast<uint64_t>(at);
        __syncwarp();
        return reinterpret_cast<uint64_t>(at);
    }
};
struct LdgL1 : Global {
    static __device__ void step(T& x) { asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(x)); }
};
struct LdgL2 : Global {
    static __device__ void step(T& x) { asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(x)); }
};
// The host has written a row of addresses, each some kilobytes behind the last; the L2 cache has been filled with something else.
struct LdgDram {
    using T = uint64_t;
    static __device__ T first(void* memory, int c) { return *(static_cast<uint64_t*>(memory) + 16 * c); }
    static __device__ void step(T& x) { asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(x)); }
};
struct Atoms {
    using T = uint32_t;
    static __device__ T first(void* memory, int c) { return Lds::first(memory, c); }
    static __device__ void step(T& x) { asm volatile("atom.shared.or.b32 %0, [%0], 0;" : "+r"(x)); }
};
struct Atomg : Global {
    static __device__ void step(T& x) { asm volatile("atom.global.or.b64 %0, [%0], 0;" : "+l"(x)); }
};

template <class Op, int chains, int row, int rounds>
__global__ void measure(void* memory, long long* cycles, int* sink)
{
    using T = typename Op::T;
    T x[chains];
    for (int c = 0; c < chains; ++c) x[c] = Op::first(memory, c);
    long long start = 0, stop = 0;
    #pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        __syncwarp();
        start = clock64();
        #pragma unroll
        for (int k = 0; k < row / chains; ++k) {
            #pragma unroll
            for (int c = 0; c < chains; ++c) Op::step(x[c]);
        }
        // The assembler drops what nobody uses. This asks for all results, so the clock is read when they are there.
        #pragma unroll
        for (int c = 0; c < chains; ++c)
            if (x[c] == T(0.5)) sink[c] = round;
        stop = clock64();
    }
    if (threadIdx.x == 0) *cycles = stop - start;
}

struct Result {
    std::string name;
    double distance, interval;
};

template <class Op, int chains, int row, int rounds>
double once(void* memory, long long* cycles, int* sink)
{
    std::vector<long long> all;
    for (int k = 0; k < 11; ++k) {
        measure<Op, chains, row, rounds><<<1, 32>>>(memory, cycles, sink);
        long long value = -1;
        cudaMemcpy(&value, cycles, sizeof value, cudaMemcpyDeviceToHost);
        all.push_back(value);
    }
    std::sort(all.begin(), all.end());
    return double(all[all.size() / 2]);
}

template <class Op>
Result measured(const char* name, void* memory, long long* cycles, int* sink)
{
    auto per = [&](double more, double less) { return (more - less) / (LONG - SHORT); };
    return {name, per(once<Op, 1, LONG, 3>(memory, cycles, sink), once<Op, 1, SHORT, 3>(memory, cycles, sink)),
            per(once<Op, 8, LONG, 3>(memory, cycles, sink), once<Op, 8, SHORT, 3>(memory, cycles, sink))};
}

int main()
{
    long long* cycles;
    int* sink;
    void* memory;
    CHECK(cudaMalloc(&cycles, sizeof *cycles));
    CHECK(cudaMalloc(&sink, 8 * sizeof *sink));
    CHECK(cudaMalloc(&memory, 1 << 20));

    std::vector<Result> all;
#define MEASURE(op, name) all.push_back(measured<op>(name, memory, cycles, sink))
    MEASURE(Ffma, "FFMA");
    MEASURE(Fadd, "FADD");
    MEASURE(Fmul, "FMUL");
    MEASURE(Imad, "IMAD");
    MEASURE(Shf, "SHF");
    MEASURE(Hfma2, "HFMA2");
    MEASURE(Dfma, "DFMA");
    MEASURE(Popc, "POPC");
    MEASURE(Rsqrt, "MUFU.RSQ");
    MEASURE(Exp2, "MUFU.EX2");
    MEASURE(Tanh, "MUFU.TANH");
    MEASURE(Shfl, "SHFL");
    MEASURE(Lds, "LDS");
    MEASURE(Atoms, "ATOMS");
    MEASURE(LdgL1, "LDG from L1");
    MEASURE(LdgL2, "LDG from L2");
    MEASURE(Atomg, "ATOMG");

    // DRAM: LONG places, 16 KB and a little apart, never visited twice in a launch; between launches another array of twice the L2
    // cache is written.
    const size_t step = 16640, size = step * (LONG + 2);
    char* far;
    char* flush;
    CHECK(cudaMalloc(&far, size));
    CHECK(cudaMalloc(&flush, 256 << 20));
    std::vector<char> host(size);
    for (int k = 0; k <= LONG; ++k)
        *reinterpret_cast<uint64_t*>(host.data() + k * step) = reinterpret_cast<uint64_t>(far + (k + 1) * step);
    CHECK(cudaMemcpy(far, host.data(), size, cudaMemcpyHostToDevice));
    auto dram = [&](auto kernel) {
        std::vector<long long> times;
        for (int k = 0; k < 11; ++k) {
            cudaMemset(flush, k, 256 << 20);
            kernel<<<1, 32>>>(far, cycles, sink);
            long long value = -1;
            cudaMemcpy(&value, cycles, sizeof value, cudaMemcpyDeviceToHost);
            times.push_back(value);
        }
        std::sort(times.begin(), times.end());
        return double(times[times.size() / 2]);
    };
    double far_long = dram(measure<LdgDram, 1, LONG, 1>), far_short = dram(measure<LdgDram, 1, SHORT, 1>);
    all.push_back({"LDG from DRAM", (far_long - far_short) / (LONG - SHORT), -1});
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGetLastError());

    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    char date[16];
    std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::printf("{\n \"schema\": 1,\n \"title\": \"From an instruction to the next that needs it\",\n \"device\": \"%s\",\n", device.name);
    std::printf(" \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n \"command\": \"scripts/clock/distance.cu\",\n", __CUDACC_VER_MAJOR__,
                __CUDACC_VER_MINOR__, date);
    std::printf(" \"row\": \"instruction\",\n \"columns\": [{\"name\": \"one chain\", \"unit\": \"cycles\"}, {\"name\": \"eight chains\", \"unit\": \"cycles\"}],\n \"rows\": [\n");
    for (size_t k = 0; k < all.size(); ++k) {
        std::printf("  {\"name\": \"%s\", \"values\": [%.1f, ", all[k].name.c_str(), all[k].distance);
        if (all[k].interval < 0) std::printf("null");
        else std::printf("%.1f", all[k].interval);
        std::printf("]}%s\n", k + 1 < all.size() ? "," : "");
    }
    std::printf(" ]\n}\n");
}
