// What stores cost that fill sectors little by little: each thread stores `of` elements, one after the other, `apart` elements from its
// neighbour's. Stores of one warp that follow each other may complete a sector before it leaves the L1 cache.
//
//   scripts/clock/stores.sh book/results/DEVICE/tables/stores.json
//
// Rates are of sectors as the warps' requests touch them, all multiprocessors together. Medians over seven launches; what starts a launch
// is taken off by the difference of half the work and all of it. `once` launches every kernel once and says what it launched.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                      \
            return 3;                                                                                 \
        }                                                                                             \
    } while (0)

// Back to back.
template <class T, int OF>
__global__ void stores(T* y, const T*, uint32_t apart)
{
    T* to = y + size_t(blockIdx.x * blockDim.x + threadIdx.x) * apart;
    T value = {};
#pragma unroll
    for (int k = 0; k < OF; ++k) {
        asm volatile("" ::: "memory");
        to[k] = value;
    }
}

// What a kernel over structures does: all fields are loaded, then all are stored.
template <class T, int OF>
__global__ void updates(T* y, const T* x, uint32_t apart)
{
    size_t at = size_t(blockIdx.x * blockDim.x + threadIdx.x) * apart;
    T value[OF];
#pragma unroll
    for (int k = 0; k < OF; ++k) value[k] = x[at + k];
#pragma unroll
    for (int k = 0; k < OF; ++k) {
        asm volatile("" ::: "memory");
        y[at + k] = value[k];
    }
}

// Each element is loaded and stored before the next one.
template <class T, int OF>
__global__ void copies(T* y, const T* x, uint32_t apart)
{
    size_t at = size_t(blockIdx.x * blockDim.x + threadIdx.x) * apart;
#pragma unroll
    for (int k = 0; k < OF; ++k) {
        asm volatile("" ::: "memory");
        y[at + k] = x[at + k];
    }
}

struct Row {
    std::string name;
    double rate, bytes;
};

constexpr size_t BYTES = size_t(1) << 30;
bool once = false;

// Sectors that the requests of one warp touch.
template <class T>
double sectors(int of, uint32_t apart)
{
    double all = 0;
    for (int k = 0; k < of; ++k) {
        int64_t last = -1;
        for (int lane = 0; lane < 32; ++lane) {
            int64_t at = int64_t(lane) * apart + k;
            for (int64_t sector = at * sizeof(T) / 32; sector <= int64_t(((at + 1) * sizeof(T) - 1) / 32); ++sector)
                if (sector != last) all += 1, last = sector;
        }
    }
    return all;
}

template <class T>
int measure(std::vector<Row>& rows, const char* what, void (*kernel)(T*, const T*, uint32_t), T* y, T* x, int of, uint32_t apart)
{
    const uint32_t blocks = uint32_t(BYTES / 4 / sizeof(T) / apart / 256);
    const std::string name = std::string(what) + " of " + std::to_string(of) + " times " + std::to_string(sizeof(T)) + " bytes, "
        + std::to_string(apart * sizeof(T)) + " apart";
    if (once) {
        std::printf("%s: %.0f\n", name.c_str(), sectors<T>(of, apart) * blocks * 8);
        kernel<<<blocks, 256>>>(y, x, apart);
        CHECK(cudaDeviceSynchronize());
        return 0;
    }
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    double us[2];
    for (int half = 0; half < 2; ++half) {
        std::vector<float> all;
        for (int k = 0; k < 9; ++k) {
            CHECK(cudaEventRecord(start));
            kernel<<<blocks >> (1 - half), 256>>>(y, x, apart);
            CHECK(cudaEventRecord(stop));
            CHECK(cudaEventSynchronize(stop));
            float ms = 0;
            CHECK(cudaEventElapsedTime(&ms, start, stop));
            if (k >= 2) all.push_back(ms);
        }
        std::sort(all.begin(), all.end());
        us[half] = 1e3 * all[all.size() / 2];
    }
    const double ns = 1e3 * (us[1] - us[0]), half = blocks / 2.0 * 8;
    rows.push_back({name, sectors<T>(of, apart) * half / ns, half * 32 * of * sizeof(T) / ns});
    return 0;
}

template <class T, int OF>
int all_of(std::vector<Row>& rows, void* y, void* x, std::initializer_list<uint32_t> aparts)
{
    int bad = 0;
    for (uint32_t apart : aparts) {
        bad |= measure<T>(rows, "stores", stores<T, OF>, static_cast<T*>(y), static_cast<T*>(x), OF, apart);
        bad |= measure<T>(rows, "updates", updates<T, OF>, static_cast<T*>(y), static_cast<T*>(x), OF, apart);
        if (OF > 1) bad |= measure<T>(rows, "copies", copies<T, OF>, static_cast<T*>(y), static_cast<T*>(x), OF, apart);
    }
    return bad;
}

int main(int count, char** arguments)
{
    once = count > 1 && std::strcmp(arguments[1], "once") == 0;
    void *y, *x;
    CHECK(cudaMalloc(&y, BYTES));
    CHECK(cudaMalloc(&x, BYTES));
    CHECK(cudaMemset(x, 0, BYTES));
    std::vector<Row> rows;
    int bad = all_of<float, 1>(rows, y, x, {1, 2, 3, 4, 6, 8, 16, 32});
    bad |= all_of<float, 2>(rows, y, x, {2, 4, 8, 16});
    bad |= all_of<float, 3>(rows, y, x, {3, 6, 8});
    bad |= all_of<float, 4>(rows, y, x, {4, 8, 16, 32});
    bad |= all_of<float, 6>(rows, y, x, {6, 8});
    bad |= all_of<float, 8>(rows, y, x, {8, 16, 32});
    bad |= all_of<float, 12>(rows, y, x, {12, 16});
    bad |= all_of<float, 16>(rows, y, x, {16, 32});
    bad |= all_of<double, 1>(rows, y, x, {2, 4, 16});
    bad |= all_of<double, 2>(rows, y, x, {2, 4});
    bad |= all_of<double, 4>(rows, y, x, {4, 16});
    bad |= all_of<float4, 1>(rows, y, x, {2, 4});
    bad |= all_of<float4, 2>(rows, y, x, {2, 4});
    bad |= all_of<float4, 4>(rows, y, x, {4, 8});
    if (bad) return bad;
    if (once) return 0;

    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    char date[16];
    std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::printf("{\n \"schema\": 1,\n \"title\": \"Stores that fill sectors little by little\",\n \"device\": \"%s\",\n", device.name);
    std::printf(" \"compiler\": \"nvcc %d.%d\",\n \"date\": \"%s\",\n", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, date);
    std::printf(" \"command\": \"scripts/clock/stores.sh\",\n \"row\": \"each thread\",\n");
    std::printf(" \"columns\": [{\"name\": \"sectors\", \"unit\": \"per ns\"}, {\"name\": \"stored\", \"unit\": \"GB/s\"}],\n \"rows\": [\n");
    for (size_t k = 0; k < rows.size(); ++k)
        std::printf("  {\"name\": \"%s\", \"values\": [%.2f, %.0f]}%s\n", rows[k].name.c_str(), rows[k].rate, rows[k].bytes,
                    k + 1 < rows.size() ? "," : "");
    std::printf(" ]\n}\n");
}
