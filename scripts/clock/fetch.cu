// How fast does code come, by its size? Warps go round a straight line of additions that need nothing of each other, of 1 KiB to
// 1 MiB: what fits into no instruction cache is fetched anew each turn.
//
//   nvcc -arch=native -O3 -o fetch scripts/clock/fetch.cu && ./fetch > book/results/DEVICE/tables/fetch.json
//
// A machine instruction has 16 bytes. An addition of a constant reads one register, so that no register bank is in the way, and a
// scheduler can issue one each cycle. The number is the cycles from one addition of a scheduler to its next: 1 where fetching costs
// nothing. One warp has a scheduler for itself, four have one each, sixteen are four on each. What closes the loop is in it: some ten
// cycles a turn, which count in the short lines. On all multiprocessors there is one block on each, all run the same code, and the median
// block is taken. The first turns, which find nothing in the caches, are taken off by the difference of few turns and many; medians
// over seven launches.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                      \
            return 3;                                                                                 \
        }                                                                                             \
    } while (0)

// Eight additions, each to a register of its own; 64 of them are 1 KiB.
#define ADD(k) "add.rn.f32 %" #k ", %" #k ", 0f3F000000;"
#define EIGHT ADD(0) ADD(1) ADD(2) ADD(3) ADD(4) ADD(5) ADD(6) ADD(7)
#define K1 EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
#define K2 K1 K1
#define K4 K2 K2
#define K8 K4 K4
#define K16 K8 K8
#define K32 K16 K16
#define K64 K32 K32
#define K128 K64 K64
#define K256 K128 K128

// A kernel whose turns have so many KiB, and the three instructions that close a loop.
#define LINE(kib, code)                                                                                        \
    __global__ void __launch_bounds__(512) line_of_##kib(float* sink, long long* cycles, int turns)             \
    {                                                                                                          \
        float a[8];                                                                                            \
        for (int k = 0; k < 8; ++k) a[k] = float(threadIdx.x + k);                                             \
        __syncthreads();                                                                                       \
        long long start = clock64();                                                                           \
        _Pragma("unroll 1") for (int turn = 0; turn < turns; ++turn)                                           \
            asm volatile(code : "+f"(a[0]), "+f"(a[1]), "+f"(a[2]), "+f"(a[3]), "+f"(a[4]), "+f"(a[5]),         \
                         "+f"(a[6]), "+f"(a[7]));                                                              \
        __syncthreads();                                                                                       \
        long long stop = clock64();                                                                            \
        float sum = 0.0f;                                                                                      \
        for (int k = 0; k < 8; ++k) sum += a[k];                                                               \
        if (sum == 77.0f) *sink = sum;                                                                         \
        if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;                                               \
    }
LINE(1, K1)
LINE(2, K2)
LINE(4, K4)
LINE(8, K8)
LINE(12, K8 K4)
LINE(16, K16)
LINE(24, K16 K8)
LINE(32, K32)
LINE(48, K32 K16)
LINE(64, K64)
LINE(96, K64 K32)
LINE(128, K128)
LINE(160, K128 K32)
LINE(192, K128 K64)
LINE(256, K256)
LINE(384, K256 K128)
LINE(512, K256 K256)
LINE(768, K256 K256 K256)
LINE(1024, K256 K256 K256 K256)

struct Line {
    int kib;
    void (*kernel)(float*, long long*, int);
};
#define ROW(kib) {kib, line_of_##kib}
constexpr Line LINES[] = {ROW(1),   ROW(2),   ROW(4),   ROW(8),   ROW(12),  ROW(16),  ROW(24),  ROW(32),  ROW(48),  ROW(64),
                          ROW(96),  ROW(128), ROW(160), ROW(192), ROW(256), ROW(384), ROW(512), ROW(768), ROW(1024)};

struct Warps {
    const char* name;
    int warps;
    bool everywhere;
};
constexpr Warps WARPS[] = {
    {"one warp", 1, false},
    {"four warps", 4, false},
    {"sixteen warps", 16, false},
    {"one warp on all multiprocessors", 1, true},
    {"four warps on all multiprocessors", 4, true},
    {"sixteen warps on all multiprocessors", 16, true},
};
// More than half of a multiprocessor's shared memory: a block has it for itself.
constexpr int ALONE = 120 << 10;

// So many turns of a line, in the median block of the median launch; below zero if it cannot run.
double cycles_of(const Line& line, const Warps& which, int sms, int turns, float* sink, long long* cycles)
{
    int blocks = which.everywhere ? sms : 1;
    std::vector<long long> all, launch(blocks);
    for (int k = 0; k < 8; ++k) {
        line.kernel<<<blocks, 32 * which.warps, ALONE>>>(sink, cycles, turns);
        if (cudaMemcpy(launch.data(), cycles, blocks * sizeof(long long), cudaMemcpyDeviceToHost) != cudaSuccess) return -1.0;
        if (cudaGetLastError() != cudaSuccess) return -1.0;
        std::sort(launch.begin(), launch.end());
        if (k >= 1) all.push_back(launch[blocks / 2]);
    }
    std::sort(all.begin(), all.end());
    return double(all[all.size() / 2]);
}

// Cycles from one addition of a scheduler to its next; below zero if the line cannot run.
double interval(const Line& line, const Warps& which, int sms, float* sink, long long* cycles)
{
    int few = std::max(2, 256 / line.kib), many = 4 * few;
    double less = cycles_of(line, which, sms, few, sink, cycles), more = cycles_of(line, which, sms, many, sink, cycles);
    if (less < 0.0 || more < 0.0) return -1.0;
    int warps = std::max(1, which.warps / 4);
    return (more - less) / (64.0 * line.kib * (many - few) * warps);
}

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    float* sink;
    long long* cycles;
    CHECK(cudaMalloc(&sink, sizeof(float)));
    CHECK(cudaMalloc(&cycles, device.multiProcessorCount * sizeof(long long)));
    for (const Line& line : LINES) CHECK(cudaFuncSetAttribute(line.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ALONE));

    char date[16];
    std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::printf("{\n \"schema\": 1,\n \"title\": \"Cycles from instruction to instruction, by the size of the code\",\n \"device\": \"%s\",\n", device.name);
    std::printf(" \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n \"command\": \"scripts/clock/fetch.cu\",\n", __CUDACC_VER_MAJOR__,
                __CUDACC_VER_MINOR__, date);
    std::printf(" \"row\": \"code\",\n \"columns\": [");
    for (const Warps& which : WARPS)
        std::printf("%s{\"name\": \"%s\", \"unit\": \"cycles\"}", &which == WARPS ? "" : ", ", which.name);
    std::printf("],\n \"rows\": [\n");
    for (const Line& line : LINES) {
        std::printf("  {\"name\": \"%d KiB\", \"values\": [", line.kib);
        for (const Warps& which : WARPS) {
            double found = interval(line, which, device.multiProcessorCount, sink, cycles);
            if (found < 0.0) {
                std::fprintf(stderr, "%d KiB, %s: cannot run\n", line.kib, which.name);
                return 3;
            }
            std::printf("%s%.3f", &which == WARPS ? "" : ", ", found);
        }
        std::printf("]}%s\n", line.kib == 1024 ? "" : ",");
    }
    std::printf(" ]\n}\n");
}
