// What the harnesses beside this file share: errors of the runtime, order statistics, and what a record says of its machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

// Of the runtime and of libraries: 0 is success everywhere.
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

inline Interval interval(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    int n = int(values.size()), half = int(std::ceil(2.576 * std::sqrt(n) / 2));
    return {values[n / 2], values[n / 2 - half], values[n / 2 + half]};
}

// Opens the record and writes what stands before its rows. `peers`: the libraries' versions as a JSON field with its comma, or "".
inline FILE* begin(const char* path, const cudaDeviceProp& device, const std::string& peers, const char* command, int rounds)
{
    FILE* out = fopen(path, "w");
    if (!out) {
        perror(path);
        exit(1);
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
            "{\n \"schema\": 1,\n \"device\": \"%s\",\n \"driver\": \"%s\",\n%s \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n"
            " \"command\": \"%s\",\n \"rounds\": %d,\n \"rows\": [",
            device.name, driver, peers.c_str(), __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, date, command, rounds);
    return out;
}

// Times a kernel and a library in turn, in a new order each round, by events; five rounds to warm up. Writes a row, and says it.
template <class Random, class Ours, class Theirs>
void compare(FILE* out, const char* library, size_t n, int rounds, Random& random, Ours ours, Theirs theirs)
{
    static const char* between = "";
    static cudaEvent_t start, stop;
    if (!start) {
        CHECK(cudaEventCreate(&start));
        CHECK(cudaEventCreate(&stop));
    }
    std::vector<double> times[2], ratios;
    for (int round = 0; round < rounds + 5; ++round) {
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
    Interval mine = interval(times[0]), other = interval(times[1]), ratio = interval(ratios);
    fprintf(out,
            "%s\n  {\"type\": \"float\", \"n\": %zu, \"cache\": \"warm\", \"us\": {\"kernel\": {\"median\": %.3f, \"low\": %.3f, \"high\": %.3f}, "
            "\"%s\": {\"median\": %.3f, \"low\": %.3f, \"high\": %.3f}}, \"ratio\": {\"%s\": {\"median\": %.4f, \"low\": %.4f, \"high\": %.4f}}}",
            between, n, mine.median, mine.low, mine.high, library, other.median, other.low, other.high, library, ratio.median, ratio.low,
            ratio.high);
    printf("%zu: kernel %.1f us, %s %.1f us, ratio %.3f\n", n, mine.median, library, other.median, ratio.median);
    between = ",";
}
