// What does it cost to hand a number to a neighbour and to wait for one? The time of a step, on four levels:
//
//   warp     a shuffle: the neighbour is the next lane
//   block    shared memory and __syncthreads(): the neighbour is in the next warp
//   grid     global memory and a barrier of the grid: the neighbour is in the next block
//   launch   global memory and the end of the launch: the same, and the next step is a launch of its own
//
//   nvcc -O3 -std=c++17 -arch=native scripts/clock/hand-over.cu -o hand-over && ./hand-over > book/results/DEVICE/tables/hand-over.json
//
// One block per SM; a row is a size of block. Each step needs the one before it, and every result is checked. Medians over launches, by
// events, the ways in turn.

#include <cooperative_groups.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <vector>

namespace cg = cooperative_groups;
constexpr int rounds = 101;

#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t error = (call);                                                          \
        if (error != cudaSuccess) {                                                          \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));           \
            exit(1);                                                                         \
        }                                                                                    \
    } while (false)

__global__ void by_warp(int* end, int steps)
{
    int v = threadIdx.x;
    #pragma unroll 1
    for (int k = 0; k < steps; ++k) v = __shfl_sync(0xffffffffu, v, threadIdx.x + 1) + 1;
    end[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void by_block(int* end, int steps)
{
    __shared__ int s[2][1024];
    int v = threadIdx.x, from = (threadIdx.x + 32) % blockDim.x;
    #pragma unroll 1
    for (int k = 0; k < steps; ++k) {
        s[k % 2][threadIdx.x] = v;
        __syncthreads();
        v = s[k % 2][from] + 1;
    }
    end[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void by_grid(int* end, int* place, int steps)
{
    int total = gridDim.x * blockDim.x, id = blockIdx.x * blockDim.x + threadIdx.x;
    int v = id, from = (id + blockDim.x) % total;
    #pragma unroll 1
    for (int k = 0; k < steps; ++k) {
        place[k % 2 * total + id] = v;
        cg::this_grid().sync();
        v = __ldcg(&place[k % 2 * total + from]) + 1;
    }
    end[id] = v;
}

__global__ void first(int* to) { to[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void by_launch(const int* place, int* to)
{
    int total = gridDim.x * blockDim.x, id = blockIdx.x * blockDim.x + threadIdx.x;
    to[id] = place[(id + blockDim.x) % total] + 1;
}

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    int blocks = device.multiProcessorCount;
    int *end, *place;
    CHECK(cudaMalloc(&end, sizeof(int) * blocks * 1024));
    CHECK(cudaMalloc(&place, sizeof(int) * blocks * 2048));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));

    char date[16];
    time_t now = time(nullptr);
    strftime(date, sizeof date, "%F", gmtime(&now));
    printf("{\n \"schema\": 1,\n \"title\": \"A step: a number handed over, and one received\",\n \"device\": \"%s\",\n", device.name);
    printf(" \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n \"command\": \"scripts/clock/hand-over.cu\",\n", __CUDACC_VER_MAJOR__,
           __CUDACC_VER_MINOR__, date);
    printf(" \"row\": \"threads per block\",\n \"columns\": [");
    for (const char* name : {"warp", "block", "grid", "launch"})
        printf("{\"name\": \"%s\", \"unit\": \"ns\"}%s", name, name[0] == 'l' ? "],\n \"rows\": [" : ", ");

    struct Way {
        const char* name;
        int steps;
        std::function<void(int, int)> run;
        std::function<int(int, int, int)> want;     // of a thread, with so many threads a block, after so many steps
    };
    auto whole = [&](int id, int threads, int steps) { return int((id + (long long)threads * steps) % (blocks * threads)) + steps; };
    std::vector<Way> ways = {
        {"warp", 65536, [&](int threads, int steps) { by_warp<<<blocks, threads>>>(end, steps); },
         [&](int id, int threads, int steps) { int t = id % threads; return t / 32 * 32 + (t + steps) % 32 + steps; }},
        {"block", 16384, [&](int threads, int steps) { by_block<<<blocks, threads>>>(end, steps); },
         [&](int id, int threads, int steps) { return int((id % threads + 32LL * steps) % threads) + steps; }},
        {"grid", 1024, [&](int threads, int steps) {
             void* words[] = {&end, &place, &steps};
             CHECK(cudaLaunchCooperativeKernel((void*)by_grid, blocks, threads, words, 0, 0));
         }, whole},
        {"launch", 256, [&](int threads, int steps) {
             int total = blocks * threads;
             first<<<blocks, threads>>>(place);
             for (int k = 0; k < steps; ++k)
                 by_launch<<<blocks, threads>>>(place + k % 2 * total, k + 1 == steps ? end : place + (k + 1) % 2 * total);
         }, whole},
    };
    std::mt19937 random(7);
    const char* between = "";
    for (int threads = 32; threads <= 1024; threads *= 2) {
        std::vector<std::vector<double>> times(ways.size());
        std::vector<int> order = {0, 1, 2, 3};
        std::vector<int> host(blocks * threads);
        for (int round = 0; round < rounds + 3; ++round) {  // three to warm up
            std::shuffle(order.begin(), order.end(), random);
            for (int w : order) {
                Way& way = ways[w];
                CHECK(cudaEventRecord(start));
                way.run(threads, way.steps);
                CHECK(cudaEventRecord(stop));
                CHECK(cudaEventSynchronize(stop));
                CHECK(cudaGetLastError());
                float ms;
                CHECK(cudaEventElapsedTime(&ms, start, stop));
                if (round >= 3) times[w].push_back(1e6 * ms / way.steps);
                CHECK(cudaMemcpy(host.data(), end, sizeof(int) * host.size(), cudaMemcpyDeviceToHost));
                for (int id = 0; id < int(host.size()); ++id)
                    if (host[id] != way.want(id, threads, way.steps)) {
                        fprintf(stderr, "%s, %d threads: thread %d has %d\n", way.name, threads, id, host[id]);
                        return 1;
                    }
            }
        }
        printf("%s\n  {\"name\": \"%d\", \"values\": [", between, threads);
        for (size_t w = 0; w < ways.size(); ++w) {
            std::sort(times[w].begin(), times[w].end());
            printf("%s%.2f", w ? ", " : "", times[w][times[w].size() / 2]);
        }
        printf("]}");
        between = ",";
    }
    printf("\n ]\n}\n");
}
