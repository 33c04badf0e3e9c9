// The product of matrices with 8 x 8 outputs per thread beside cuBLAS, in single precision without tensor cores.
//
//   nvcc -O3 -std=c++17 -arch=native scripts/peers/sgemm.cu -lcublas -o sgemm && ./sgemm book/results/DEVICE/peers/sgemm.json
//
// Square matrices; the two in turn, in a new order each round, by events; every product is compared with the other's. Run at the top of
// the repository, on a machine with a GPU.

#include "../../kernels/sgemm/sweep.cu"

#include <cublas_v2.h>
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
    cublasHandle_t cublas;
    CHECK(cublasCreate(&cublas));
    CHECK(cublasSetMathMode(cublas, CUBLAS_PEDANTIC_MATH));
    int version;
    CHECK(cublasGetVersion(cublas, &version));

    const int largest = 8192;
    float *a, *b, *c, *d;
    for (float** place : {&a, &b, &c, &d}) CHECK(cudaMalloc(place, sizeof(float) * largest * largest));
    std::vector<float> host(size_t(largest) * largest), other(host.size());
    std::mt19937 random(7);
    for (float* place : {a, b}) {
        for (float& v : host) v = float(random() >> 8) / (1 << 23) - 1.0f;
        CHECK(cudaMemcpy(place, host.data(), sizeof(float) * host.size(), cudaMemcpyHostToDevice));
    }
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
            "{\n \"schema\": 1,\n \"device\": \"%s\",\n \"driver\": \"%s\",\n \"peers\": {\"cublas\": \"%d\"},\n \"compiler\": \"nvcc %d.%d\",\n"
            " \"date\": \"%s\",\n \"command\": \"scripts/peers/sgemm.cu\",\n \"rounds\": %d,\n \"rows\": [",
            device.name, driver, version, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, date, rounds);

    const char* between = "";
    for (int n = 1024; n <= largest; n *= 2) {
        auto ours = [&] { product<64><<<dim3(n / 128, n / 128), 256>>>(a, b, c, n, n); };
        auto theirs = [&] {
            float one = 1.0f, zero = 0.0f;     // by columns: the transposed product is that of the transposed, in the other order
            CHECK(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, d, n));
        };
        std::vector<double> times[2], ratios;
        for (int round = 0; round < rounds + 5; ++round) {  // five to warm up
            double us[2];
            bool swapped = random() & 1;
            for (int turn = 0; turn < 2; ++turn) {
                int which = turn ^ swapped;
                CHECK(cudaEventRecord(start));
                if (which == 0) ours();
                else theirs();
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
        size_t elements = size_t(n) * n;
        CHECK(cudaMemcpy(host.data(), c, sizeof(float) * elements, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(other.data(), d, sizeof(float) * elements, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < elements; ++i)
            if (!(std::abs(host[i] - other[i]) <= 1e-5 * n)) {
                fprintf(stderr, "n = %d: element %zu is %g here and %g there\n", n, i, host[i], other[i]);
                return 1;
            }
        Interval mine = interval(times[0]), library = interval(times[1]), ratio = interval(ratios);
        fprintf(out,
                "%s\n  {\"type\": \"float\", \"n\": %d, \"cache\": \"warm\", \"us\": {\"kernel\": {\"median\": %.3f, \"low\": %.3f, \"high\": %.3f}, "
                "\"cublas\": {\"median\": %.3f, \"low\": %.3f, \"high\": %.3f}}, \"ratio\": {\"cublas\": {\"median\": %.4f, \"low\": %.4f, \"high\": %.4f}}}",
                between, n, mine.median, mine.low, mine.high, library.median, library.low, library.high, ratio.median, ratio.low, ratio.high);
        printf("%d: kernel %.1f us, cublas %.1f us, ratio %.3f\n", n, mine.median, library.median, ratio.median);
        between = ",";
    }
    fprintf(out, "\n ]\n}\n");
    return fclose(out) != 0;
}
