// The Fourier transform of 4,096 complex points, by 16 values per thread, beside cuFFT.
//
//   nvcc -O3 -std=c++17 -arch=native scripts/peers/fft.cu -lcufft -o fft && ./fft book/results/DEVICE/peers/fft.json
//
// Batches of transforms, `n` points in all; the two in turn, in a new order each round, by events, with buffers larger than the L2 cache
// at the upper end. Every transform is compared with the other's. Run at the top of the repository, on a machine with a GPU.

#include "../../kernels/fft/sweep.cu"

#include <cufft.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

constexpr int rounds = 101;

#define CHECK(call)                                                                          \
    do {                                                                                     \
        int error = int(call);                                                               \
        if (error != 0) {                                                                    \
            fprintf(stderr, "line %d: %s: error %d\n", __LINE__, #call, error);              \
            exit(1);                                                                         \
        }                                                                                    \
    } while (false)

// The median and its 99 % interval, by order statistics: half of the rounds plus or minus 2.576 * sqrt(rounds) / 2.
struct Interval {
    double median, low, high;
};

Interval interval(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    int n = int(values.size()), half = int(std::ceil(2.576 * std::sqrt(n) / 2));
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
    int version;
    CHECK(cufftGetVersion(&version));

    const int most = 16384;                 // transforms
    const size_t values = size_t(points) * most;
    float2 *x, *ours, *theirs;
    for (float2** place : {&x, &ours, &theirs}) CHECK(cudaMalloc(place, sizeof(float2) * values));
    std::vector<float2> host(values), other(values);
    std::mt19937 random(7);
    for (float2& v : host) {
        v.x = float(random() >> 8) / (1 << 23) - 1.0f;
        v.y = float(random() >> 8) / (1 << 23) - 1.0f;
    }
    CHECK(cudaMemcpy(x, host.data(), sizeof(float2) * values, cudaMemcpyHostToDevice));
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
    if (FILE* pipe = popen("nvidia-smi --query-gpu=driver_version --format=csv,noheader", "r")) {
        if (fscanf(pipe, "%63s", driver) != 1) driver[0] = 0;
        pclose(pipe);
    }
    fprintf(out,
            "{\n \"schema\": 1,\n \"device\": \"%s\",\n \"driver\": \"%s\",\n \"peers\": {\"cufft\": \"%d\"},\n \"compiler\": \"nvcc %d.%d\",\n"
            " \"date\": \"%s\",\n \"command\": \"scripts/peers/fft.cu\",\n \"rounds\": %d,\n \"rows\": [",
            device.name, driver, version, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, date, rounds);

    const char* between = "";
    for (int transforms = 256; transforms <= most; transforms *= 8) {
        cufftHandle plan;
        CHECK(cufftPlan1d(&plan, points, CUFFT_C2C, transforms));
        auto here = [&] { transform<16, 1><<<transforms, points / 16>>>(x, ours); };
        auto there = [&] {
            CHECK(cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(x), reinterpret_cast<cufftComplex*>(theirs), CUFFT_FORWARD));
        };
        std::vector<double> times[2], ratios;
        for (int round = 0; round < rounds + 5; ++round) {  // five to warm up
            double us[2];
            bool swapped = random() & 1;
            for (int turn = 0; turn < 2; ++turn) {
                int which = turn ^ swapped;
                CHECK(cudaEventRecord(start));
                if (which == 0) here();
                else there();
                CHECK(cudaEventRecord(stop));
                CHECK(cudaEventSynchronize(stop));
                CHECK(cudaGetLastError());
                float ms;
                CHECK(cudaEventElapsedTime(&ms, start, stop));
                us[which] = 1000.0 * ms;
            }
            if (round < 5) continue;
            times[0].push_back(us[0]);
            times[1].push_back(us[1]);
            ratios.push_back(us[1] / us[0]);
        }
        size_t n = size_t(points) * transforms;
        CHECK(cudaMemcpy(host.data(), ours, sizeof(float2) * n, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(other.data(), theirs, sizeof(float2) * n, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < n; ++i)
            if (!(std::abs(host[i].x - other[i].x) <= 1e-3 && std::abs(host[i].y - other[i].y) <= 1e-3)) {
                fprintf(stderr, "%d transforms: point %zu is %g %g here and %g %g there\n", transforms, i, host[i].x, host[i].y,
                        other[i].x, other[i].y);
                return 1;
            }
        CHECK(cufftDestroy(plan));
        Interval mine = interval(times[0]), library = interval(times[1]), ratio = interval(ratios);
        fprintf(out,
                "%s\n  {\"type\": \"float\", \"n\": %zu, \"cache\": \"warm\", \"us\": {\"kernel\": {\"median\": %.3f, \"low\": %.3f, \"high\": %.3f}, "
                "\"cufft\": {\"median\": %.3f, \"low\": %.3f, \"high\": %.3f}}, \"ratio\": {\"cufft\": {\"median\": %.4f, \"low\": %.4f, \"high\": %.4f}}}",
                between, n, mine.median, mine.low, mine.high, library.median, library.low, library.high, ratio.median, ratio.low, ratio.high);
        printf("%zu points: kernel %.1f us, cuFFT %.1f us, ratio %.3f\n", n, mine.median, library.median, ratio.median);
        between = ",";
    }
    fprintf(out, "\n ]\n}\n");
    return fclose(out) != 0;
}
