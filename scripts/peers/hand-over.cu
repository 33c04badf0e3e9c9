// What does it cost to hand a number to a neighbour and to wait for one? The time of a step, on four levels:
//
//   warp     a shuffle: the neighbour is the next lane
//   block    shared memory and __syncthreads(): the neighbour is in the next warp
//   grid     global memory and a barrier of the grid: the neighbour is in the next block
//   launch   global memory and the end of the launch: the same, and the next step is a launch of its own
//
//   nvcc -O3 -std=c++17 -arch=native scripts/peers/hand-over.cu -o hand-over && ./hand-over book/results/DEVICE/peers/hand-over.json
//
// One block per SM; `n` is the threads of a block. Each step needs the one before it. Times by events, the ways in turn.

#include <cooperative_groups.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <string>
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

// The median and its 99 % interval, by order statistics: half of the rounds plus or minus 2.576 * sqrt(rounds) / 2.
struct Interval {
    double median, low, high;
};

Interval interval(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    int n = values.size(), half = int(std::ceil(2.576 * std::sqrt(n) / 2));
    return {values[n / 2], values[n / 2 - half], values[n / 2 + half]};
}

int main(int count, char** words)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s FILE.json\n", words[0]);
        return 2;
    }
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    int blocks = device.multiProcessorCount;
    int *end, *place;
    CHECK(cudaMalloc(&end, sizeof(int) * blocks * 1024));
    CHECK(cudaMalloc(&place, sizeof(int) * blocks * 2048));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));

    FILE* out = fopen(words[1], "w");
    if (!out) {
        perror(words[1]);
        return 1;
    }
    char date[16];
    time_t now = time(nullptr);
    strftime(date, sizeof date, "%F", gmtime(&now));
    char driver[64] = "unknown";
    if (FILE* version = popen("nvidia-smi --query-gpu=driver_version --format=csv,noheader", "r")) {
        if (fscanf(version, "%63s", driver) != 1) driver[0] = 0;
        pclose(version);
    }
    fprintf(out,
            "{\n \"schema\": 1,\n \"device\": \"%s\",\n \"driver\": \"%s\",\n \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n"
            " \"command\": \"scripts/peers/hand-over.cu\",\n \"rounds\": %d,\n \"rows\": [",
            device.name, driver, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, date, rounds);

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
                if (round >= 3) times[w].push_back(1000.0 * ms / way.steps);
                CHECK(cudaMemcpy(host.data(), end, sizeof(int) * host.size(), cudaMemcpyDeviceToHost));
                for (int id = 0; id < int(host.size()); ++id)
                    if (host[id] != way.want(id, threads, way.steps)) {
                        fprintf(stderr, "%s, %d threads: thread %d has %d\n", way.name, threads, id, host[id]);
                        return 1;
                    }
            }
        }
        fprintf(out, "%s\n  {\"type\": \"int\", \"n\": %d, \"cache\": \"warm\", \"us\": {", between, threads);
        printf("%d:", threads);
        for (size_t w = 0; w < ways.size(); ++w) {
            Interval us = interval(times[w]);
            fprintf(out, "%s\"%s\": {\"median\": %.6f, \"low\": %.6f, \"high\": %.6f}", w ? ", " : "", ways[w].name, us.median, us.low, us.high);
            printf("  %s %.5f [%.5f, %.5f]", ways[w].name, us.median, us.low, us.high);
        }
        fprintf(out, "}}");
        printf("\n");
        between = ",";
    }
    fprintf(out, "\n ]\n}\n");
    return fclose(out) != 0;
}
