// What a turn of a small loop takes: one warp goes through it alone, and reads the SM's clock before and after.
//
//   nvcc -arch=native -lineinfo -O3 -o loops scripts/clock/loops.cu && ./loops > book/results/DEVICE/tables/loops.json
//
// `checker sass --model scripts/clock/loops.cu` says of the same loops what the model makes of them. What reading the clock and the way
// into the loop cost is taken off by the difference of few and many turns; each is run three times and the last is taken, so that code
// and data are in the caches. Medians over eleven launches.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                      \
            return 3;                                                                                 \
        }                                                                                             \
    } while (0)

// Each needs the one before.
__global__ void one_chain(float* x, int* next, long long* cycles, int turns)
{
    float a = x[threadIdx.x];
    long long start = clock64();
    #pragma unroll 1
    for (int k = 0; k < turns; ++k) {
        a = a * 0.75f + 0.25f;
        a = a * 0.5f + 0.125f;
        a = a * 0.25f + 0.5f;
        a = a * 0.625f + 0.375f;
    }
    x[threadIdx.x] = a;
    *cycles = clock64() - start;
}

// Eight that need nothing of each other.
__global__ void eight_chains(float* x, int* next, long long* cycles, int turns)
{
    float a[8];
    for (int c = 0; c < 8; ++c) a[c] = x[threadIdx.x] + c;
    long long start = clock64();
    #pragma unroll 1
    for (int k = 0; k < turns; ++k) {
        #pragma unroll
        for (int c = 0; c < 8; ++c) a[c] = a[c] * 0.75f + 0.25f;
    }
    float sum = 0.0f;
    for (int c = 0; c < 8; ++c) sum += a[c];
    x[threadIdx.x] = sum;
    *cycles = clock64() - start;
}

// A list in shared memory: where it goes on stands where it is.
__global__ void shared_list(float* x, int* next, long long* cycles, int turns)
{
    __shared__ int list[1024];
    for (int k = threadIdx.x; k < 1024; k += 32) list[k] = next[k];
    __syncwarp();
    int at = threadIdx.x;
    long long start = clock64();
    #pragma unroll 1
    for (int k = 0; k < turns; ++k) at = list[at];
    x[threadIdx.x] = at;
    *cycles = clock64() - start;
}

// The same list in the L1 cache, and a sum on the way.
__global__ void cached_list(float* x, int* next, long long* cycles, int turns)
{
    int at = threadIdx.x, sum = 0;
    long long start = clock64();
    #pragma unroll 1
    for (int k = 0; k < turns; ++k) {
        at = __ldg(next + at);
        sum += at;
    }
    x[threadIdx.x] = sum;
    *cycles = clock64() - start;
}

// A square root and a shuffle, one after the other.
__global__ void root_and_shuffle(float* x, int* next, long long* cycles, int turns)
{
    float a = x[threadIdx.x] + 1.5f;
    long long start = clock64();
    #pragma unroll 1
    for (int k = 0; k < turns; ++k) {
        asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a));
        a = a * 0.5f + 1.0f;
        a = __shfl_xor_sync(0xffffffffu, a, 1);
    }
    x[threadIdx.x] = a;
    *cycles = clock64() - start;
}

using Loop = void (*)(float*, int*, long long*, int);

double cycles_of(Loop loop, float* x, int* next, long long* cycles, int turns)
{
    std::vector<long long> all;
    for (int k = 0; k < 14; ++k) {
        loop<<<1, 32>>>(x, next, cycles, turns);
        long long value = -1;
        cudaMemcpy(&value, cycles, sizeof value, cudaMemcpyDeviceToHost);
        if (k >= 3) all.push_back(value);
    }
    std::sort(all.begin(), all.end());
    return double(all[all.size() / 2]);
}

int main()
{
    float* x;
    int* next;
    long long* cycles;
    CHECK(cudaMalloc(&x, 32 * sizeof(float)));
    CHECK(cudaMalloc(&next, 1024 * sizeof(int)));
    CHECK(cudaMalloc(&cycles, sizeof(long long)));
    CHECK(cudaMemset(x, 0, 32 * sizeof(float)));
    std::vector<int> list(1024);
    for (int k = 0; k < 1024; ++k) list[k] = (k + 32) % 1024;
    CHECK(cudaMemcpy(next, list.data(), 1024 * sizeof(int), cudaMemcpyHostToDevice));

    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    char day[16];
    std::time_t now = std::time(nullptr);
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    std::printf("{\n  \"schema\": 1,\n  \"title\": \"A turn of a small loop, one warp alone\",\n  \"device\": \"%s\",\n", device.name);
    std::printf("  \"compiler\": \"nvcc %d.%d\",\n  \"date\": \"%s\",\n", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, day);
    std::printf("  \"command\": \"scripts/clock/loops.cu\",\n  \"row\": \"loop\",\n");
    std::printf("  \"columns\": [{ \"name\": \"a turn\", \"unit\": \"cycles\" }],\n  \"rows\": [\n");
    struct { const char* name; Loop loop; } loops[] = {
        { "one_chain", one_chain },     { "eight_chains", eight_chains },         { "shared_list", shared_list },
        { "cached_list", cached_list }, { "root_and_shuffle", root_and_shuffle },
    };
    const int few = 1000, many = 5000;
    for (size_t k = 0; k < sizeof loops / sizeof *loops; ++k) {
        double turn = (cycles_of(loops[k].loop, x, next, cycles, many) - cycles_of(loops[k].loop, x, next, cycles, few)) / (many - few);
        const char* comma = k + 1 < sizeof loops / sizeof *loops ? "," : "";
        std::printf("    { \"name\": \"%s\", \"values\": [%.2f] }%s\n", loops[k].name, turn, comma);
    }
    std::printf("  ]\n}\n");
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return 0;
}
