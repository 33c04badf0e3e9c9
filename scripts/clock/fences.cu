// What does a fence cost, alone and beside those of other warps, with nothing under way and behind requests of its thread?
//
//   nvcc -arch=native -O3 -o fences scripts/clock/fences.cu && ./fences > book/results/DEVICE/tables/fences.json
//
// A number is the cycles that a fence adds to a warp's turn of a loop: the median of seven launches on all multiprocessors with it, less
// that without it. In a turn a thread does nothing else, stores a word, or loads one; nobody else comes to its words.
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

constexpr int TURNS = 400;
constexpr size_t WORDS = size_t(1) << 28;

enum Scope { NONE, BLOCK, DEVICE, SYSTEM };
enum Beside { NOTHING, STORES, LOADS };

template <Scope SCOPE, Beside BESIDE>
__global__ void turns(float* to, const float* from, long long* cycles)
{
    size_t thread = blockIdx.x * size_t(blockDim.x) + threadIdx.x, all = size_t(gridDim.x) * blockDim.x;
    float sum = 0;
    long long start = clock64();
    #pragma unroll 1
    for (int turn = 0; turn < TURNS; ++turn) {
        size_t at = (thread + turn * all) % WORDS;
        if (BESIDE == STORES) to[at] = turn;
        if (BESIDE == LOADS) sum += from[at];
        if (SCOPE == BLOCK) __threadfence_block();
        if (SCOPE == DEVICE) __threadfence();
        if (SCOPE == SYSTEM) __threadfence_system();
        // What was loaded is waited for in its turn.
        if (BESIDE == LOADS && sum == 0.5f) to[0] = sum;
    }
    if (thread == 0) *cycles = clock64() - start;
}

struct Column {
    const char* name;
    void (*with)(float*, const float*, long long*);
    void (*without)(float*, const float*, long long*);
};
constexpr Column COLUMNS[] = {
    {"block", turns<BLOCK, NOTHING>, turns<NONE, NOTHING>},
    {"block, stores", turns<BLOCK, STORES>, turns<NONE, STORES>},
    {"device", turns<DEVICE, NOTHING>, turns<NONE, NOTHING>},
    {"device, stores", turns<DEVICE, STORES>, turns<NONE, STORES>},
    {"device, loads", turns<DEVICE, LOADS>, turns<NONE, LOADS>},
    {"system", turns<SYSTEM, NOTHING>, turns<NONE, NOTHING>},
    {"system, stores", turns<SYSTEM, STORES>, turns<NONE, STORES>},
    {"system, loads", turns<SYSTEM, LOADS>, turns<NONE, LOADS>},
};

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    float *to, *from;
    long long* cycles;
    CHECK(cudaMalloc(&to, WORDS * sizeof *to));
    CHECK(cudaMalloc(&from, WORDS * sizeof *from));
    CHECK(cudaMallocManaged(&cycles, sizeof *cycles));
    CHECK(cudaMemset(to, 0, WORDS * sizeof *to));
    CHECK(cudaMemset(from, 0, WORDS * sizeof *from));
    char date[11];
    std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
    std::printf("{\n \"schema\": 1,\n \"title\": \"Cycles that a fence adds, by the warps of a multiprocessor\",\n");
    std::printf(" \"device\": \"%s\",\n \"compiler\": \"nvcc %d.%d\",\n", device.name, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    std::printf(" \"date\": \"%s\",\n \"command\": \"scripts/clock/fences.cu\",\n \"row\": \"warps\",\n \"columns\": [", date);
    const char* comma = "";
    for (const Column& column : COLUMNS) {
        std::printf("%s{\"name\": \"%s\", \"unit\": \"cycles\"}", comma, column.name);
        comma = ", ";
    }
    std::printf("],\n \"rows\": [\n");
    for (int warps : {1, 4, 8, 16, 32, 64}) {
        int blocks = warps > 32 ? 2 : 1;
        std::printf("  {\"name\": \"%d\", \"values\": [", warps);
        comma = "";
        for (const Column& column : COLUMNS) {
            double turn[2];
            for (int side : {0, 1}) {
                auto kernel = side == 0 ? column.without : column.with;
                std::vector<long long> found;
                for (int run = 0; run < 8; ++run) {
                    kernel<<<blocks * device.multiProcessorCount, 32 * warps / blocks>>>(to, from, cycles);
                    CHECK(cudaDeviceSynchronize());
                    // The first one comes before caches know the code.
                    if (run > 0) found.push_back(*cycles);
                }
                std::nth_element(found.begin(), found.begin() + found.size() / 2, found.end());
                turn[side] = double(found[found.size() / 2]) / TURNS;
            }
            std::printf("%s%.0f", comma, turn[1] - turn[0]);
            comma = ", ";
        }
        std::printf("]}%s\n", warps < 64 ? "," : "");
        std::fflush(stdout);
    }
    std::printf(" ]\n}\n");
    return 0;
}
