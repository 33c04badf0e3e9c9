// Who adds the partial sums? Times three ways to have the sum of an array on the host, from the call to the number:
//
//   ticket         one launch, and a copy of one number
//   two-launches   a second launch for the partial sums, and a copy of one number
//   host           one launch, a copy of all partial sums, and the host adds them
//
//   nvcc -O3 -std=c++17 -arch=native scripts/peers/finish.cu -o finish && ./finish book/results/DEVICE/peers/finish.json
//
// Wall-clock time of the host, warm caches, the ways in turn. Run at the top of the repository, on a machine with a GPU.
// The kernels are the ladder's; the shapes are those of their launch lines.

#include "peer.h"

#include <cuda_fp16.h>
#include <chrono>
#include <functional>
#include <map>
#include <random>

namespace two {
#include "../../kernels/reduction/two-launches.cu"
}
namespace single {
#include "../../kernels/reduction/ticket.cu"
}

constexpr int block = 256;
constexpr int rounds = 301;

int main(int count, char** words)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s FILE.json\n", words[0]);
        return 2;
    }
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    int resident = device.multiProcessorCount * device.maxThreadsPerMultiProcessor / block;

    int largest = 1 << 28;
    float *x, *partial, *sum, *staged;
    CHECK(cudaMalloc(&x, sizeof(float) * size_t(largest)));
    CHECK(cudaMalloc(&partial, sizeof(float) * resident));
    CHECK(cudaMalloc(&sum, sizeof(float)));
    CHECK(cudaMallocHost(&staged, sizeof(float) * resident));
    std::vector<float> host(largest);
    std::mt19937 random(7);
    for (float& v : host) v = float(random() >> 8) / (1 << 24) - 0.5f;
    CHECK(cudaMemcpy(x, host.data(), sizeof(float) * size_t(largest), cudaMemcpyHostToDevice));

    FILE* out = begin(words[1], device, "", "scripts/peers/finish.cu", rounds);

    for (int power = 10; power <= 28; power += 2) {
        int n = 1 << power;
        int grid = std::max(1, std::min((n + 4 * block - 1) / (4 * block), resident));
        double want = 0;
        for (int i = 0; i < n; ++i) want += host[i];

        auto one = [&] {
            CHECK(cudaMemcpyAsync(staged, sum, sizeof(float), cudaMemcpyDeviceToHost));
            CHECK(cudaStreamSynchronize(0));
            return double(staged[0]);
        };
        std::map<std::string, std::function<double()>> ways = {
            {"ticket", [&] {
                 single::total<float, float, block><<<grid, block>>>(x, partial, sum, n);
                 return one();
             }},
            {"two-launches", [&] {
                 two::total<float, float, block><<<grid, block>>>(x, partial, n);
                 two::total<float, float, block><<<1, block>>>(partial, sum, grid);
                 return one();
             }},
            {"host", [&] {
                 two::total<float, float, block><<<grid, block>>>(x, partial, n);
                 CHECK(cudaMemcpyAsync(staged, partial, sizeof(float) * grid, cudaMemcpyDeviceToHost));
                 CHECK(cudaStreamSynchronize(0));
                 double all = 0;
                 for (int i = 0; i < grid; ++i) all += staged[i];
                 return all;
             }},
        };
        std::map<std::string, std::vector<double>> times;
        std::vector<std::string> order;
        for (auto& way : ways) order.push_back(way.first);
        for (int round = 0; round < rounds + 3; ++round) {  // three to warm up
            std::shuffle(order.begin(), order.end(), random);
            for (auto& name : order) {
                auto start = std::chrono::steady_clock::now();
                double got = ways[name]();
                double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
                if (std::abs(got - want) > 1e-5 * std::sqrt(double(n)) + 1e-5 * std::abs(want)) {
                    fprintf(stderr, "%s: 2^%d: %g, expected %g\n", name.c_str(), power, got, want);
                    return 1;
                }
                if (round >= 3) times[name].push_back(us);
            }
        }
        CHECK(cudaGetLastError());
        fprintf(out, "%s\n  {\"type\": \"float\", \"n\": %d, \"cache\": \"warm\", \"us\": {", power == 10 ? "" : ",", n);
        printf("2^%d:", power);
        const char* comma = "";
        for (auto& way : ways) {
            Interval us = interval(times[way.first]);
            fprintf(out, "%s\"%s\": {\"median\": %.3f, \"low\": %.3f, \"high\": %.3f}", comma, way.first.c_str(), us.median, us.low, us.high);
            printf("  %s %.2f [%.2f, %.2f]", way.first.c_str(), us.median, us.low, us.high);
            comma = ", ";
        }
        fprintf(out, "}}");
        printf("\n");
    }
    fprintf(out, "\n ]\n}\n");
    return fclose(out) == 0 ? 0 : 1;
}
