// In how many passes over the banks shared memory serves a warp's 8 and 16 bytes per lane: one request per launch, for a profiler to count.
// Prints, for each launch, bytes per lane, load or store, the mask of the lanes that take part, and every lane's place in elements.
//
//   scripts/clock/wide.sh simulator/differential/wide.csv
#include <cstdint>
#include <cstdio>

#define CHECK(call)                                                                                   \
    do {                                                                                              \
        cudaError_t status = (call);                                                                  \
        if (status != cudaSuccess) {                                                                  \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                      \
            return 3;                                                                                 \
        }                                                                                             \
    } while (0)

struct Places {
    uint16_t at[32];
};

constexpr int PLACES = 256;

// Nothing else touches shared memory; what a load finds there does not matter.
template <class T, bool STORE>
__global__ void request(Places places, uint32_t mask, T* out)
{
    __shared__ T memory[PLACES];
    int lane = threadIdx.x;
    uint32_t at = uint32_t(__cvta_generic_to_shared(&memory[places.at[lane]]));
    if (!(mask >> lane & 1)) return;
    if constexpr (sizeof(T) == 16) {
        uint32_t a = lane, b = lane, c = lane, d = lane;
        if constexpr (STORE) asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(a), "r"(b), "r"(c), "r"(d));
        else {
            asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at));
            out[lane] = T{a, b, c, d};
        }
    } else {
        uint32_t a = lane, b = lane;
        if constexpr (STORE) asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(at), "r"(a), "r"(b));
        else {
            asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
            out[lane] = T{a, b};
        }
    }
}

uint32_t state = 1;
uint32_t drawn(uint32_t below)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % below;
}

template <class T, bool STORE>
int tried(const Places& places, uint32_t mask, T* out)
{
    std::printf("%d,%s,%08x", int(sizeof(T)), STORE ? "store" : "load", mask);
    for (int at : places.at) std::printf(",%d", at);
    std::printf("\n");
    request<T, STORE><<<1, 32>>>(places, mask, out);
    CHECK(cudaDeviceSynchronize());
    return 0;
}

template <class T, bool STORE>
int all(T* out, int rounds)
{
    const uint32_t masks[] = {~0u, 0xffff, 0xffff0000, 0x55555555, 0xaaaaaaaa, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x11111111, 0xff};
    auto each = [&](auto&& place, bool masked) {
        Places places;
        for (int lane = 0; lane < 32; ++lane) places.at[lane] = uint16_t(place(lane) % PLACES);
        for (int at = 0; at < (masked ? 10 : 1); ++at)
            if (int failed = tried<T, STORE>(places, masks[at], out)) return failed;
        return 0;
    };
    for (int step : {0, 1, 2, 3, 4, 8, 16})
        if (int failed = each([&](int lane) { return lane * step; }, step < 3)) return failed;
    for (int shift : {1, 2, 3, 4})
        for (int keep : {31, 7, 3, 1}) {
            if (int failed = each([&](int lane) { return (lane >> shift) & keep; }, false)) return failed;
            if (int failed = each([&](int lane) { return lane & keep & ~(1 << shift >> 1); }, false)) return failed;
        }
    for (int bit : {1, 2, 4, 8, 16})
        if (int failed = each([&](int lane) { return lane ^ bit; }, false)) return failed;
    // Lanes that differ in one bit of their number, or in two, ask for the same.
    for (int round = 0; round < rounds; ++round) {
        uint32_t pool = 2u << drawn(7), same = 1u << drawn(5), more = drawn(2) ? 1u << drawn(5) : 0;
        uint16_t numbers[32];
        for (auto& number : numbers) number = uint16_t(drawn(pool));
        if (round % 4 == 3) same = more = 0;
        auto place = [&](int lane) { return numbers[lane & ~same & ~more]; };
        if (int failed = each(place, round % 8 == 0)) return failed;
        Places places;
        for (int lane = 0; lane < 32; ++lane) places.at[lane] = place(lane);
        uint32_t mask = drawn(1u << 16) << 16 | drawn(1u << 16);
        if (int failed = tried<T, STORE>(places, mask | 1, out)) return failed;
    }
    return 0;
}

int main()
{
    uint4* out;
    CHECK(cudaMalloc(&out, 32 * sizeof(uint4)));
    if (int failed = all<uint4, false>(out, 60)) return failed;
    if (int failed = all<uint2, false>(reinterpret_cast<uint2*>(out), 60)) return failed;
    if (int failed = all<uint4, true>(out, 20)) return failed;
    return all<uint2, true>(reinterpret_cast<uint2*>(out), 20);
}
