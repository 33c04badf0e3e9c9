// How many accesses a nanosecond, all multiprocessors together, where they do not lie side by side: random loads and stores of a word,
// from memory and from the L2 cache, columns of a matrix, and atomics over so many addresses.
//
//   nvcc -arch=native -O3 -o memory scripts/clock/memory.cu && ./memory > book/results/DEVICE/tables/memory.json
//
// Addresses are scattered by arithmetic, so that nothing else is loaded. Medians over nine launches. What starts a launch is taken off
// by the difference of half the work and all of it.
#include <algorithm>
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

__device__ uint32_t scattered(uint32_t i)
{
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

// `group` lanes side by side go to the same random place of `group` words.
__global__ void loads(const uint32_t* x, uint32_t* sink, uint32_t mask, uint32_t group)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t at = (scattered(i / group) * group + i % group) & mask;
    uint32_t value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(x + at));
    if (value == 77u) sink[0] = value;
}

// Four of them on their way at once.
__global__ void four_loads(const uint32_t* x, uint32_t* sink, uint32_t mask, uint32_t)
{
    uint32_t i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    uint32_t value[4];
    for (int k = 0; k < 4; ++k) asm volatile("ld.global.u32 %0, [%1];" : "=r"(value[k]) : "l"(x + (scattered(i + k) & mask)));
    if (value[0] + value[1] + value[2] + value[3] == 77u) sink[0] = 1;
}

__global__ void stores(uint32_t* x, uint32_t*, uint32_t mask, uint32_t group)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    x[(scattered(i / group) * group + i % group) & mask] = i;
}

// The lanes of a warp go down a column, the block's warps along its rows: sectors are completed by others, a little later.
__global__ void column_stores(uint32_t* x, uint32_t*, uint32_t, uint32_t edge)
{
    uint32_t blocks = edge / 32;
    uint32_t column = blockIdx.x % blocks * 32 + threadIdx.x % 32, row = blockIdx.x / blocks * 8 + threadIdx.x / 32;
    x[size_t(column) * edge + row] = row;
}

__global__ void column_loads(const uint32_t* x, uint32_t* sink, uint32_t, uint32_t edge)
{
    uint32_t blocks = edge / 32;
    uint32_t column = blockIdx.x % blocks * 32 + threadIdx.x % 32, row = blockIdx.x / blocks * 8 + threadIdx.x / 32;
    uint32_t value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(x + size_t(column) * edge + row));
    if (value == 77u) sink[0] = value;
}

// A lane an address.
template <class T>
__global__ void atomics(T* x, uint32_t*, uint32_t mask, uint32_t)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(x + (scattered(i) & mask), T(1));
}

// A warp an address: one of its lanes goes there.
template <class T>
__global__ void atomics_of_warps(T* x, uint32_t*, uint32_t mask, uint32_t)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 32 == 0) atomicAdd(x + (scattered(i) & mask), T(1));
}

// All lanes of a warp at one address, of so many.
template <class T>
__global__ void atomics_together(T* x, uint32_t*, uint32_t mask, uint32_t)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(x + (scattered(i / 32) & mask), T(1));
}

// Side by side, a warp a row of so many words.
template <class T>
__global__ void atomics_in_rows(T* x, uint32_t*, uint32_t mask, uint32_t)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(x + ((scattered(i / 32) * 32 + i % 32) & mask), T(1));
}

struct Row {
    std::string name;
    double rate;
};

template <class T>
int rate(std::vector<Row>& rows, const std::string& name, void (*kernel)(T*, uint32_t*, uint32_t, uint32_t), void* x, uint32_t* sink,
         uint32_t words, uint32_t last, uint32_t threads, double accesses)
{
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    double us[2];
    for (int half = 0; half < 2; ++half) {
        std::vector<float> all;
        for (int k = 0; k < 11; ++k) {
            CHECK(cudaEventRecord(start));
            kernel<<<(threads >> (1 - half)) / 256, 256>>>(static_cast<T*>(x), sink, words - 1, last);
            CHECK(cudaEventRecord(stop));
            CHECK(cudaEventSynchronize(stop));
            float ms = 0;
            CHECK(cudaEventElapsedTime(&ms, start, stop));
            if (k >= 2) all.push_back(ms);
        }
        std::sort(all.begin(), all.end());
        us[half] = 1e3 * all[all.size() / 2];
    }
    rows.push_back({name, accesses * threads / 2 / (us[1] - us[0]) / 1e3});
    return 0;
}

int main()
{
    const size_t bytes = size_t(2) << 30;
    void* x;
    uint32_t* sink;
    CHECK(cudaMalloc(&x, bytes));
    CHECK(cudaMalloc(&sink, 4));
    CHECK(cudaMemset(x, 0, bytes));
    std::vector<Row> rows;
    auto* words = static_cast<uint32_t*>(x);
    using Const = void (*)(const uint32_t*, uint32_t*, uint32_t, uint32_t);
    const uint32_t many = 1u << 26, MB = 1u << 18;
    Const one = loads, four = four_loads, column = column_loads;
    int bad = 0;
    for (uint32_t size : {8u, 32u, 128u, 2048u}) {
        std::string of = " of " + std::to_string(size) + " MB";
        bad |= rate<const uint32_t>(rows, "random loads" + of, one, x, sink, size * MB, 1, many, 1);
        bad |= rate<const uint32_t>(rows, "four random loads" + of, four, x, sink, size * MB, 1, many / 4, 4);
        bad |= rate<uint32_t>(rows, "random stores" + of, stores, x, sink, size * MB, 1, many, 1);
    }
    for (uint32_t group : {8u, 16u, 32u}) {
        std::string of = " of " + std::to_string(4 * group) + " bytes in 2048 MB";
        bad |= rate<const uint32_t>(rows, "random loads" + of, one, x, sink, 2048 * MB, group, many, 1.0 / group);
        bad |= rate<uint32_t>(rows, "random stores" + of, stores, x, sink, 2048 * MB, group, many, 1.0 / group);
    }
    bad |= rate<const uint32_t>(rows, "loads down columns", column, x, sink, 1, 8192, many, 1);
    bad |= rate<uint32_t>(rows, "stores down columns", column_stores, x, sink, 1, 8192, many, 1);
    for (uint32_t places : {1u, 8u, 64u, 512u, 2048u, 16384u, 1u << 18, 1u << 22, 1u << 28}) {
        std::string of = " at " + std::to_string(places);
        uint32_t count = places < 64 ? many >> 5 : many;
        bad |= rate<int>(rows, "atomics on integers" + of, atomics<int>, x, sink, places, 0, count, 1);
        bad |= rate<float>(rows, "atomics on floats" + of, atomics<float>, x, sink, places, 0, count, 1);
        bad |= rate<int>(rows, "warps' atomics on integers" + of, atomics_of_warps<int>, x, sink, places, 0, many, 1.0 / 32);
        bad |= rate<float>(rows, "warps' atomics on floats" + of, atomics_of_warps<float>, x, sink, places, 0, many, 1.0 / 32);
    }
    for (uint32_t places : {64u, 2048u, 1u << 22}) {
        std::string of = " at " + std::to_string(places);
        bad |= rate<int>(rows, "atomics on integers together" + of, atomics_together<int>, x, sink, places, 0, many, 1);
        bad |= rate<float>(rows, "atomics on floats together" + of, atomics_together<float>, x, sink, places, 0, many, 1);
        bad |= rate<int>(rows, "atomics on integers in rows" + of, atomics_in_rows<int>, x, sink, places, 0, many, 1);
        bad |= rate<float>(rows, "atomics on floats in rows" + of, atomics_in_rows<float>, x, sink, places, 0, many, 1);
    }
    if (bad) return bad;
    CHECK(cudaDeviceSynchronize());

    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    char date[16];
    std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::printf("{\n \"schema\": 1,\n \"title\": \"Accesses that do not lie side by side\",\n \"device\": \"%s\",\n", device.name);
    std::printf(" \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, date);
    std::printf(" \"command\": \"scripts/clock/memory.cu\",\n \"row\": \"accesses\",\n");
    std::printf(" \"columns\": [{\"name\": \"rate\", \"unit\": \"per ns\"}],\n \"rows\": [\n");
    for (size_t k = 0; k < rows.size(); ++k)
        std::printf("  {\"name\": \"%s\", \"values\": [%.3f]}%s\n", rows[k].name.c_str(), rows[k].rate, k + 1 < rows.size() ? "," : "");
    std::printf(" ]\n}\n");
}
