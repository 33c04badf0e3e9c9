// How often does the kernel of the introduction, book/kernels/tree.cu, give the right sum on a GPU? As it stands there, and with
// `volatile` taken away. A launch alone on the GPU, and beside it launches of many blocks, where other warps disturb.
//
//   nvcc -O3 -std=c++17 -arch=native scripts/clock/tree.cu -o tree && ./tree > book/results/DEVICE/tables/tree.json

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

namespace kept {
#include "../../book/kernels/tree.cu"
}
#define volatile
namespace plain {
#include "../../book/kernels/tree.cu"
}
#undef volatile

#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t error = (call);                                                          \
        if (error != cudaSuccess) {                                                          \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error));           \
            exit(1);                                                                         \
        }                                                                                    \
    } while (false)

constexpr int sets = 1000, rounds = 1000;  // so many inputs, each launched so often

// Blocks of the same work on rubbish, so that the SMs are full while the kernel runs.
__global__ void disturb(int* sink, int steps)
{
    __shared__ volatile int s[1024];
    s[threadIdx.x] = threadIdx.x;
    for (int k = 0; k < steps; ++k) s[threadIdx.x] += s[(threadIdx.x + k) % blockDim.x];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    std::mt19937 random(7);
    std::vector<int> x(32 * sets), want(sets), got(sets);
    for (int i = 0; i < 32 * sets; ++i) want[i / 32] += x[i] = 1 + random() % 99;

    int *in, *out, *sink, blocks = 7 * device.multiProcessorCount;   // room is left for one more
    CHECK(cudaMalloc(&in, sizeof(int) * 32 * sets));
    CHECK(cudaMalloc(&out, sizeof(int) * sets));
    CHECK(cudaMalloc(&sink, sizeof(int) * blocks * 256));
    CHECK(cudaMemcpy(in, x.data(), sizeof(int) * 32 * sets, cudaMemcpyHostToDevice));
    cudaStream_t stream, beside;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking));

    auto right = [&](bool is_volatile, bool busy) {
        long long count = 0;
        for (int round = 0; round < rounds; ++round) {
            CHECK(cudaMemsetAsync(out, 0xff, sizeof(int) * sets, stream));
            if (busy) disturb<<<blocks, 256, 0, beside>>>(sink, 20000);
            for (int k = 0; k < sets; ++k)
                if (is_volatile) kept::total<<<1, 32, 0, stream>>>(in + 32 * k, out + k);
                else plain::total<<<1, 32, 0, stream>>>(in + 32 * k, out + k);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaMemcpy(got.data(), out, sizeof(int) * sets, cudaMemcpyDeviceToHost));
            for (int k = 0; k < sets; ++k) count += got[k] == want[k];
        }
        return count;
    };

    char date[16];
    time_t now = time(nullptr);
    strftime(date, sizeof date, "%F", gmtime(&now));
    printf("{\n \"schema\": 1,\n \"title\": \"How often a tree without barriers gives the right sum\",\n \"device\": \"%s\",\n", device.name);
    printf(" \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n \"command\": \"scripts/clock/tree.cu\",\n", __CUDACC_VER_MAJOR__,
           __CUDACC_VER_MINOR__, date);
    printf(" \"row\": \"kernel\",\n \"columns\": [{\"name\": \"launches\", \"unit\": \"\"}, {\"name\": \"right alone\", \"unit\": \"\"}, "
           "{\"name\": \"right beside others\", \"unit\": \"\"}],\n \"rows\": [");
    for (bool is_volatile : {true, false}) {
        long long alone = right(is_volatile, false), beside_others = right(is_volatile, true);
        printf("%s\n  {\"name\": \"%s\", \"values\": [%d, %lld, %lld]}", is_volatile ? "" : ",", is_volatile ? "volatile" : "plain", sets * rounds, alone,
               beside_others);
    }
    printf("\n ]\n}\n");
}
