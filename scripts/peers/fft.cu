// The Fourier transform of 4,096 complex points, by 16 values per thread, beside cuFFT.
//
//   nvcc -O3 -std=c++17 -arch=native scripts/peers/fft.cu -lcufft -o fft && ./fft book/results/DEVICE/peers/fft.json
//
// Batches of transforms, `n` points in all; the two in turn, in a new order each round, by events, with buffers larger than the L2 cache
// at the upper end. Every transform is compared with the other's. Run at the top of the repository, on a machine with a GPU.

#include "../../kernels/fft/sweep.cu"

#include "peer.h"

#include <cufft.h>
#include <random>

constexpr int rounds = 101;

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
    std::string peers = " \"peers\": {\"cufft\": \"" + std::to_string(version) + "\"},\n";
    FILE* out = begin(words[1], device, peers, "scripts/peers/fft.cu", rounds);

    for (int transforms = 256; transforms <= most; transforms *= 8) {
        cufftHandle plan;
        CHECK(cufftPlan1d(&plan, points, CUFFT_C2C, transforms));
        auto here = [&] { transform<16, 1><<<transforms, points / 16>>>(x, ours); };
        auto there = [&] {
            CHECK(cufftExecC2C(plan, reinterpret_cast<cufftComplex*>(x), reinterpret_cast<cufftComplex*>(theirs), CUFFT_FORWARD));
        };
        size_t n = size_t(points) * transforms;
        compare(out, "cufft", n, rounds, random, here, there);
        CHECK(cudaMemcpy(host.data(), ours, sizeof(float2) * n, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(other.data(), theirs, sizeof(float2) * n, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < n; ++i)
            if (!(std::abs(host[i].x - other[i].x) <= 1e-3 && std::abs(host[i].y - other[i].y) <= 1e-3)) {
                fprintf(stderr, "%d transforms: point %zu is %g %g here and %g %g there\n", transforms, i, host[i].x, host[i].y,
                        other[i].x, other[i].y);
                return 1;
            }
        CHECK(cufftDestroy(plan));
    }
    fprintf(out, "\n ]\n}\n");
    return fclose(out) != 0;
}
