// How many warps were there really? Every block writes down on which SM it was and the GPU's time at its begin and its end; the average of
// resident warps over SMs and over the kernel's time, over the most there can be, is what profilers call achieved occupancy.
//
//   nvcc -arch=native -O3 -std=c++17 -o residents scripts/clock/residents.cu && ./residents > book/results/DEVICE/tables/residents.json
//
// All launches have blocks of 256 threads that do nothing but count steps: as many as the row says. Shared memory that nobody uses limits
// how many of them an SM holds. `API` is what cudaOccupancyMaxActiveBlocksPerMultiprocessor says; `most` is the most blocks that were on one
// SM at the same time. Medians over eleven launches.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <vector>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                      \
            std::exit(3);                                                                             \
        }                                                                                             \
    } while (0)

struct Stay {
    long long begin, end;
    unsigned sm;
    float value;
};

__device__ long long nanoseconds()
{
    long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

// Block b does `steps` steps, and `uneven` times as many if it is one of eight.
__global__ void stay(Stay* stays, int steps, int uneven)
{
    extern __shared__ float unused[];
    if (steps < 0) unused[threadIdx.x] = 0.0f;
    long long begin = nanoseconds();
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    int own = blockIdx.x % 8 == 7 ? uneven * steps : steps;
    float v = threadIdx.x;
    #pragma unroll 1
    for (int k = 0; k < own; ++k) v = fmaf(v, 0.5f, 1.0f);
    __syncthreads();
    if (threadIdx.x == 0) stays[blockIdx.x] = {begin, nanoseconds(), sm, v};
}

struct Case {
    const char* name;
    int resident, blocks, steps, uneven;    // blocks: a multiple of what all SMs hold at once, in quarters
};

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    int sms = device.multiProcessorCount;
    CHECK(cudaFuncSetAttribute(stay, cudaFuncAttributeMaxDynamicSharedMemorySize, int(device.sharedMemPerBlockOptin)));
    char date[16];
    std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::printf("{\n \"schema\": 1,\n \"title\": \"Occupancy, computed and counted\",\n \"device\": \"%s\",\n", device.name);
    std::printf(" \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n \"command\": \"scripts/clock/residents.cu\",\n", __CUDACC_VER_MAJOR__,
                __CUDACC_VER_MINOR__, date);
    std::printf(" \"row\": \"launch\",\n \"columns\": [{\"name\": \"API\", \"unit\": \"blocks\"}, {\"name\": \"most\", \"unit\": \"blocks\"}, "
                "{\"name\": \"theoretical\", \"unit\": \"%%\"}, {\"name\": \"achieved\", \"unit\": \"%%\"}],\n \"rows\": [\n");
    const Case cases[] = {
        {"eight waves of long blocks", 8, 32, 40000, 1}, {"one wave", 8, 4, 40000, 1},
        {"one wave and a quarter", 8, 5, 40000, 1},   {"half a wave", 8, 2, 40000, 1},
        {"eight waves of short blocks", 8, 32, 200, 1},  {"two waves with slow blocks", 8, 8, 20000, 8},
        {"sixteen waves with slow blocks", 8, 64, 20000, 8}, {"eight waves with room for four", 4, 32, 40000, 1},
        {"eight waves with room for one", 1, 32, 40000, 1},
    };
    bool first = true;
    for (const Case& c : cases) {
        size_t shared = c.resident == 8 ? 0 : device.sharedMemPerMultiprocessor / c.resident - device.reservedSharedMemPerBlock;
        shared = std::min(shared, size_t(device.sharedMemPerBlockOptin));
        int api = 0;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&api, stay, 256, shared));
        int blocks = sms * api * c.blocks / 4;
        Stay* stays;
        CHECK(cudaMalloc(&stays, sizeof(Stay) * blocks));
        std::vector<Stay> host(blocks);
        std::vector<double> achieved;
        int most = 0;
        for (int round = 0; round < 13; ++round) {  // two to warm up
            stay<<<blocks, 256, shared>>>(stays, c.steps, c.uneven);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpy(host.data(), stays, sizeof(Stay) * blocks, cudaMemcpyDeviceToHost));
            if (round < 2) continue;
            long long begin = host[0].begin, end = host[0].end, sum = 0;
            std::map<unsigned, std::vector<std::pair<long long, int>>> events;
            for (const Stay& s : host) {
                begin = std::min(begin, s.begin);
                end = std::max(end, s.end);
                sum += s.end - s.begin;
                events[s.sm].push_back({s.begin, 1});
                events[s.sm].push_back({s.end, -1});
            }
            for (auto& [sm, list] : events) {
                std::sort(list.begin(), list.end());        // at the same time the end comes first
                int now = 0;
                for (auto& [t, change] : list) most = std::max(most, now += change);
            }
            achieved.push_back(100.0 * 8 * sum / (double(end - begin) * sms * device.maxThreadsPerMultiProcessor / 32));
        }
        CHECK(cudaFree(stays));
        std::sort(achieved.begin(), achieved.end());
        std::printf("%s  {\"name\": \"%s\", \"values\": [%d, %d, %.1f, %.1f]}", first ? "" : ",\n", c.name, api, most,
                    100.0 * api * 256 / device.maxThreadsPerMultiProcessor, achieved[achieved.size() / 2]);
        first = false;
    }
    std::printf("\n ]\n}\n");
}
