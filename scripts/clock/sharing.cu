// What does the pair two-elements gain by? Its better version has fewer address instructions and more loads under way. Here it stands
// between the two: the same kernel without `__restrict__`, which has the same addresses, and asks for the second element only after the
// first is stored.
//
//   nvcc -O3 -std=c++17 -arch=native scripts/clock/sharing.cu -o sharing && ./sharing > book/results/DEVICE/tables/sharing.json
//
// Medians over launches, by events, the three in a new order each round; every result is checked.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

namespace naive {
#include "../../kernels/two-elements/naive.cu"
}
namespace promised {
#include "../../kernels/two-elements/optimised.cu"
}
#define __restrict__
namespace shared_addresses {
#include "../../kernels/two-elements/optimised.cu"
}
#undef __restrict__

#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t error = (call);                                                          \
        if (error != cudaSuccess) {                                                          \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));           \
            exit(1);                                                                         \
        }                                                                                    \
    } while (false)

constexpr int n = 1 << 28, rounds = 51;

__global__ void fill(float* a, float* b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i % 1021;
    b[i] = i % 4093;
}

__global__ void check(const float* c, int* wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (c[i] != float(i % 1021 + i % 4093)) atomicAdd(wrong, 1);
}

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    float *a, *b, *c;
    int* wrong;
    CHECK(cudaMalloc(&a, sizeof(float) * n));
    CHECK(cudaMalloc(&b, sizeof(float) * n));
    CHECK(cudaMalloc(&c, sizeof(float) * n));
    CHECK(cudaMalloc(&wrong, sizeof(int)));
    fill<<<n / 256, 256>>>(a, b);
    CHECK(cudaDeviceSynchronize());

    const char* names[] = {"one element", "two with shared addresses", "two with shared addresses and __restrict__"};
    auto run = [&](int way) {
        if (way == 0) naive::add<<<n / 256, 256>>>(a, b, c, n);
        if (way == 1) shared_addresses::add<<<n / 512, 256>>>(a, b, c, n);
        if (way == 2) promised::add<<<n / 512, 256>>>(a, b, c, n);
    };
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<double> times[3];
    std::mt19937 random(7);
    int order[] = {0, 1, 2};
    for (int round = 0; round < rounds + 3; ++round) {  // three to warm up
        std::shuffle(order, order + 3, random);
        for (int way : order) {
            if (round == 0) CHECK(cudaMemset(c, 0, sizeof(float) * n));
            CHECK(cudaEventRecord(start));
            run(way);
            CHECK(cudaEventRecord(stop));
            CHECK(cudaEventSynchronize(stop));
            CHECK(cudaGetLastError());
            float ms;
            CHECK(cudaEventElapsedTime(&ms, start, stop));
            if (round >= 3) times[way].push_back(1e3 * ms);
            if (round == 0) {
                int host = 0;
                CHECK(cudaMemset(wrong, 0, sizeof(int)));
                check<<<n / 256, 256>>>(c, wrong);
                CHECK(cudaMemcpy(&host, wrong, sizeof(int), cudaMemcpyDeviceToHost));
                if (host) return fprintf(stderr, "%s: %d wrong\n", names[way], host), 1;
            }
        }
    }

    char date[16];
    time_t now = time(nullptr);
    strftime(date, sizeof date, "%F", gmtime(&now));
    printf("{\n \"schema\": 1,\n \"title\": \"Two elements per thread: addresses, and loads under way\",\n \"device\": \"%s\",\n", device.name);
    printf(" \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n \"command\": \"scripts/clock/sharing.cu\",\n", __CUDACC_VER_MAJOR__,
           __CUDACC_VER_MINOR__, date);
    printf(" \"row\": \"kernel\",\n \"columns\": [{\"name\": \"time\", \"unit\": \"us\"}, {\"name\": \"rate\", \"unit\": \"GB/s\"}],\n \"rows\": [");
    for (int way = 0; way < 3; ++way) {
        std::sort(times[way].begin(), times[way].end());
        double us = times[way][rounds / 2];
        printf("%s\n  {\"name\": \"%s\", \"values\": [%.1f, %.0f]}", way ? "," : "", names[way], us, 12e-3 * n / us);
    }
    printf("\n ]\n}\n");
}
