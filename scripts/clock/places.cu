// What does it cost that lanes of a warp ask for several places at once, or for the same? Loads from constant memory by a computed index, and
// atomics on shared memory, of lanes that go to 1 to 32 different places.
//
//   nvcc -arch=native -O3 -o places scripts/clock/places.cu && ./places > book/results/DEVICE/tables/places.json
//
// A number is the cycles of a multiprocessor for one request of a warp, 32 warps being there to ask: the difference of few rounds and
// many, the median of seven launches. Places lie in neighbouring words, or 32 words apart: then they share a bank of shared memory.
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

__constant__ int table[2048];
__constant__ unsigned char bytes[2048];

// Sixteen requests a round.
#define TIMED(name, request)                                                                                   \
    __global__ void __launch_bounds__(1024) name(int* sink, long long* cycles, int rounds, int places, int apart) \
    {                                                                                                          \
        __shared__ int s[2048];                                                                                \
        for (int k = threadIdx.x; k < 2048; k += 1024) s[k] = 0;                                               \
        int lane = threadIdx.x % 32, place = lane % places * apart, sum = 0;                                   \
        __syncthreads();                                                                                       \
        long long start = clock64();                                                                           \
        _Pragma("unroll 1") for (int round = 0; round < rounds; ++round) {                                     \
            _Pragma("unroll") for (int k = 0; k < 16; ++k) { request; }                                        \
            place ^= round & 1;                                                                                \
        }                                                                                                      \
        __syncthreads();                                                                                       \
        long long stop = clock64();                                                                            \
        sink[threadIdx.x] = sum + s[threadIdx.x];                                                              \
        if (threadIdx.x == 0) *cycles = stop - start;                                                          \
    }
TIMED(constant, sum += table[place + 4 * k])
TIMED(constant_byte, sum += bytes[place + 32 * k])
TIMED(counted, atomicAdd(&s[place + 32 * k], 1))
TIMED(added, atomicAdd(&s[place + 32 * k], lane))
TIMED(returned, sum += atomicAdd(&s[place + 32 * k], lane))
TIMED(largest, atomicMax(&s[place + 32 * k], lane + round))

struct Column {
    const char* name;
    void (*kernel)(int*, long long*, int, int, int);
    int apart;
};
constexpr Column COLUMNS[] = {
    {"constant load", constant, 1},   {"count", counted, 1},          {"add", added, 1},
    {"add, old value", returned, 1},  {"maximum", largest, 1},        {"constant load, apart", constant, 32},
    {"count, one bank", counted, 32}, {"add, one bank", added, 32},   {"constant load, bytes side by side", constant_byte, 1},
};

double cycles_of(const Column& column, int rounds, int places, int* sink, long long* cycles)
{
    std::vector<long long> all;
    for (int k = 0; k < 8; ++k) {
        long long found = 0;
        column.kernel<<<1, 1024>>>(sink, cycles, rounds, places, column.apart);
        if (cudaMemcpy(&found, cycles, sizeof found, cudaMemcpyDeviceToHost) != cudaSuccess) return -1.0;
        if (k >= 1) all.push_back(found);
    }
    std::sort(all.begin(), all.end());
    return double(all[all.size() / 2]);
}

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    int* sink;
    long long* cycles;
    CHECK(cudaMalloc(&sink, 1024 * sizeof(int)));
    CHECK(cudaMalloc(&cycles, sizeof(long long)));

    char date[16];
    std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::printf("{\n \"schema\": 1,\n \"title\": \"Cycles of a request, by the places that the lanes ask for\",\n \"device\": \"%s\",\n", device.name);
    std::printf(" \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n \"command\": \"scripts/clock/places.cu\",\n", __CUDACC_VER_MAJOR__,
                __CUDACC_VER_MINOR__, date);
    std::printf(" \"row\": \"places\",\n \"columns\": [");
    for (const Column& column : COLUMNS)
        std::printf("%s{\"name\": \"%s\", \"unit\": \"cycles\"}", &column == COLUMNS ? "" : ", ", column.name);
    std::printf("],\n \"rows\": [\n");
    for (int places = 1; places <= 32; places *= 2) {
        std::printf("  {\"name\": \"%d\", \"values\": [", places);
        for (const Column& column : COLUMNS) {
            double few = cycles_of(column, 8, places, sink, cycles), many = cycles_of(column, 72, places, sink, cycles);
            if (few < 0.0 || many < 0.0) {
                std::fprintf(stderr, "%d places, %s: cannot run\n", places, column.name);
                return 3;
            }
            std::printf("%s%.3f", &column == COLUMNS ? "" : ", ", (many - few) / (64.0 * 16 * 32));
        }
        std::printf("]}%s\n", places == 32 ? "" : ",");
    }
    std::printf(" ]\n}\n");
}
