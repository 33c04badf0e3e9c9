// What a turn of a small loop takes: one warp goes through it alone, or four warps of every scheduler do, and reads the SM's clock before
// and after.
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

// Warps begin a loop together and end it together.
#define BEGIN                                                                                         \
    __syncthreads();                                                                                  \
    long long start = clock64();                                                                      \
    _Pragma("unroll 1") for (int k = 0; k < turns; ++k) {
#define END(value)                                                                                    \
    }                                                                                                 \
    x[threadIdx.x] = value;                                                                           \
    __syncthreads();                                                                                  \
    *cycles = clock64() - start;

__global__ void two_chains(float* x, int* next, long long* cycles, int turns)
{
    float a = x[threadIdx.x], b = a + 1.0f;
    BEGIN
        #pragma unroll
        for (int c = 0; c < 8; ++c) {
            a = a * 0.75f + 0.25f;
            b = b * 0.75f + 0.25f;
        }
    END(a + b)
}

__global__ void many_chains(float* x, int* next, long long* cycles, int turns)
{
    float a[16];
    for (int c = 0; c < 16; ++c) a[c] = x[threadIdx.x] + c;
    BEGIN
        #pragma unroll
        for (int c = 0; c < 64; ++c) a[c % 16] = a[c % 16] * 0.75f + 0.25f;
    END(a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7] + a[8] + a[9] + a[10] + a[11] + a[12] + a[13] + a[14] + a[15])
}

// More than the nearest instruction cache holds.
__global__ void long_body(float* x, int* next, long long* cycles, int turns)
{
    float a[4];
    for (int c = 0; c < 4; ++c) a[c] = x[threadIdx.x] + c;
    BEGIN
        #pragma unroll
        for (int c = 0; c < 1024; ++c) a[c % 4] = a[c % 4] * 0.75f + 0.25f;
    END(a[0] + a[1] + a[2] + a[3])
}

// All three operands are registers.
__global__ void three_registers(float* x, int* next, long long* cycles, int turns)
{
    float a[8], b[8], d[8], sum = 0.0f;
    for (int c = 0; c < 8; ++c) a[c] = x[threadIdx.x + c], b[c] = x[threadIdx.x + 8 + c], d[c] = x[threadIdx.x + 16 + c];
    BEGIN
        #pragma unroll
        for (int c = 0; c < 32; ++c) a[c % 8] = a[c % 8] * b[c * 3 % 8] + d[c * 5 % 8];
    for (int c = 0; c < 8; ++c) sum += a[c];
    END(sum)
}

__global__ void multiply_chain(float* x, int* next, long long* cycles, int turns)
{
    int a = next[threadIdx.x], b = next[0], c = next[1];
    BEGIN
        #pragma unroll
        for (int k = 0; k < 8; ++k) a = a * b + c;
    END(a)
}

__global__ void multiplies(float* x, int* next, long long* cycles, int turns)
{
    int a[8], b = next[0], c = next[1], sum = 0;
    for (int k = 0; k < 8; ++k) a[k] = next[threadIdx.x + k];
    BEGIN
        #pragma unroll
        for (int k = 0; k < 32; ++k) a[k % 8] = a[k % 8] * b + c;
    for (int k = 0; k < 8; ++k) sum += a[k];
    END(sum)
}

__global__ void integer_chain(float* x, int* next, long long* cycles, int turns)
{
    int a = next[threadIdx.x], b = next[0], c = next[1];
    BEGIN
        #pragma unroll
        for (int k = 0; k < 8; ++k) a = (a + b) ^ c;
    END(a)
}

__global__ void integers(float* x, int* next, long long* cycles, int turns)
{
    int a[8], b = next[0], c = next[1], sum = 0;
    for (int k = 0; k < 8; ++k) a[k] = next[threadIdx.x + k];
    BEGIN
        #pragma unroll
        for (int k = 0; k < 16; ++k) a[k % 8] = (a[k % 8] + b) ^ c;
    for (int k = 0; k < 8; ++k) sum += a[k];
    END(sum)
}

// Two pipes in turn.
__global__ void floats_and_integers(float* x, int* next, long long* cycles, int turns)
{
    int a[4], b = next[0], sum = 0;
    float d[4];
    for (int k = 0; k < 4; ++k) a[k] = next[threadIdx.x + k], d[k] = x[threadIdx.x + k];
    BEGIN
        #pragma unroll
        for (int k = 0; k < 16; ++k) {
            a[k % 4] = a[k % 4] ^ (a[(k + 1) % 4] & b);
            d[k % 4] = d[k % 4] * 0.75f + 0.25f;
        }
    for (int k = 0; k < 4; ++k) sum += a[k] + int(d[k]);
    END(sum)
}

__global__ void doubles_chain(float* x, int* next, long long* cycles, int turns)
{
    double a = x[threadIdx.x], b = next[0];
    BEGIN
        #pragma unroll
        for (int k = 0; k < 4; ++k) a = a * b + 0.25;
    END(a)
}

__global__ void doubles(float* x, int* next, long long* cycles, int turns)
{
    double a[4], b = next[0];
    for (int k = 0; k < 4; ++k) a[k] = x[threadIdx.x + k];
    BEGIN
        #pragma unroll
        for (int k = 0; k < 16; ++k) a[k % 4] = a[k % 4] * b + 0.25;
    END(a[0] + a[1] + a[2] + a[3])
}

__global__ void halves(float* x, int* next, long long* cycles, int turns)
{
    unsigned a[4], b = next[0];
    for (int k = 0; k < 4; ++k) a[k] = next[threadIdx.x + k];
    BEGIN
        #pragma unroll
        for (int k = 0; k < 16; ++k) asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(a[k % 4]) : "r"(b));
    END(a[0] + a[1] + a[2] + a[3])
}

__global__ void root(float* x, int* next, long long* cycles, int turns)
{
    float a = x[threadIdx.x] + 1.5f;
    BEGIN
        asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a));
        asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a));
    END(a)
}

__global__ void roots(float* x, int* next, long long* cycles, int turns)
{
    float a[4];
    for (int k = 0; k < 4; ++k) a[k] = x[threadIdx.x + k] + 1.5f;
    BEGIN
        #pragma unroll
        for (int k = 0; k < 8; ++k) asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a[k % 4]));
    END(a[0] + a[1] + a[2] + a[3])
}

__global__ void shuffle(float* x, int* next, long long* cycles, int turns)
{
    float a = x[threadIdx.x];
    BEGIN
        a = __shfl_xor_sync(0xffffffffu, a, 1);
        a = __shfl_xor_sync(0xffffffffu, a, 2);
    END(a)
}

__global__ void shuffles(float* x, int* next, long long* cycles, int turns)
{
    float a[4];
    for (int k = 0; k < 4; ++k) a[k] = x[threadIdx.x + k];
    BEGIN
        #pragma unroll
        for (int k = 0; k < 8; ++k) a[k % 4] = __shfl_xor_sync(0xffffffffu, a[k % 4], 1 + k / 4);
    END(a[0] + a[1] + a[2] + a[3])
}

__global__ void converted(float* x, int* next, long long* cycles, int turns)
{
    float a = x[threadIdx.x];
    BEGIN
        asm volatile("{ .reg .s32 t; cvt.rni.s32.f32 t, %0; cvt.rn.f32.s32 %0, t; }" : "+f"(a));
    END(a)
}

__global__ void counted(float* x, int* next, long long* cycles, int turns)
{
    int a = next[threadIdx.x];
    BEGIN
        a = __popc(a);
        a = __popc(a);
    END(a)
}

__global__ void voted(float* x, int* next, long long* cycles, int turns)
{
    unsigned a = next[threadIdx.x];
    BEGIN
        a = __ballot_sync(0xffffffffu, a & 1);
        a = __ballot_sync(0xffffffffu, a & 2);
    END(a)
}

__device__ const int table[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0};
__constant__ int same_table[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0};

__global__ void constant_list(float* x, int* next, long long* cycles, int turns)
{
    int at = next[0] & 31;
    BEGIN
        at = same_table[at];
    END(at)
}

__global__ void global_list(float* x, int* next, long long* cycles, int turns)
{
    int at = next[0] & 31;
    BEGIN
        at = __ldg(table + at);
    END(at)
}

// A store that the next load has to see.
__global__ void there_and_back(float* x, int* next, long long* cycles, int turns)
{
    __shared__ volatile int s[1024];
    int a = next[threadIdx.x];
    s[threadIdx.x] = a;
    BEGIN
        s[threadIdx.x] = a;
        a = s[threadIdx.x ^ 1];
    END(a)
}

__global__ void shared_loads(float* x, int* next, long long* cycles, int turns)
{
    __shared__ volatile int s[2048];
    for (int k = threadIdx.x; k < 2048; k += blockDim.x) s[k] = next[k % 1024];
    int a = 0, b = 0, c = 0, d = 0;
    BEGIN
        a += s[threadIdx.x];
        b += s[threadIdx.x + 32];
        c += s[threadIdx.x + 64];
        d += s[threadIdx.x + 96];
    END(a + b + c + d)
}

// Four words at once.
__global__ void wide_list(float* x, int* next, long long* cycles, int turns)
{
    __shared__ int4 s[256];
    for (int k = threadIdx.x; k < 256; k += 32) s[k] = make_int4((k + 32) % 256, k, k, k);
    __syncwarp();
    int at = threadIdx.x % 32, sum = 0;
    BEGIN
        int4 all = s[at];
        at = all.x;
        sum += all.y + all.z + all.w;
    END(at + sum)
}

// Two lanes want another word of one bank, or all 32 do.
__global__ void two_way_list(float* x, int* next, long long* cycles, int turns)
{
    __shared__ int s[1024];
    for (int k = threadIdx.x; k < 1024; k += 32) s[k] = (k + 64) % 1024;
    __syncwarp();
    int at = 2 * (threadIdx.x % 32);
    BEGIN
        at = s[at];
    END(at)
}

__global__ void all_way_list(float* x, int* next, long long* cycles, int turns)
{
    __shared__ int s[1024];
    for (int k = threadIdx.x; k < 1024; k += 32) s[k] = k / 32 * 32 + (k + 1) % 32;
    __syncwarp();
    int at = 32 * (threadIdx.x % 32);
    BEGIN
        at = s[at];
    END(at)
}

__global__ void shared_sum(float* x, int* next, long long* cycles, int turns)
{
    __shared__ int s[1024];
    s[threadIdx.x] = 0;
    int a = 1;
    BEGIN
        a = atomicAdd(&s[threadIdx.x], a);
    END(a)
}

__global__ void global_sum(float* x, int* next, long long* cycles, int turns)
{
    int a = 1;
    BEGIN
        a = atomicAdd(next + 1024 + threadIdx.x, a);
    END(a)
}

__global__ void barrier(float* x, int* next, long long* cycles, int turns)
{
    float a = x[threadIdx.x];
    BEGIN
        a = a * 0.75f + 0.25f;
        __syncthreads();
    END(a)
}

__global__ void fence(float* x, int* next, long long* cycles, int turns)
{
    float a = x[threadIdx.x];
    BEGIN
        a = a * 0.75f + 0.25f;
        __threadfence();
    END(a)
}

// A way that is not taken, and one that is.
__global__ void not_taken(float* x, int* next, long long* cycles, int turns)
{
    float a = x[threadIdx.x];
    BEGIN
        a = a * 0.75f + 0.25f;
        if (a > 1e30f) asm volatile("{ .reg .f32 t; mul.f32 t, %0, %0; ex2.approx.f32 t, t; st.global.f32 [%1], t; }" :: "f"(a), "l"(x));
        a = a * 0.5f + 0.25f;
    END(a)
}

__global__ void parted(float* x, int* next, long long* cycles, int turns)
{
    int a = next[threadIdx.x];
    BEGIN
        if (threadIdx.x & 1) {
            #pragma unroll
            for (int k = 0; k < 16; ++k) a = a * 3 + k;
        } else {
            #pragma unroll
            for (int k = 0; k < 16; ++k) a = a * 5 + (k ^ a);
        }
    END(a)
}

__global__ void divided(float* x, int* next, long long* cycles, int turns)
{
    unsigned a = next[threadIdx.x] + 7;
    BEGIN
        a = 1000003u / (a | 1);
    END(a)
}

__global__ void product(float* x, int* next, long long* cycles, int turns)
{
    unsigned a = next[threadIdx.x], b = a * 3;
    float c[4] = {};
    BEGIN
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a), "r"(b));
    END(c[0] + c[1] + c[2] + c[3])
}

using Loop = void (*)(float*, int*, long long*, int);

double cycles_of(Loop loop, int threads, float* x, int* next, long long* cycles, int turns)
{
    std::vector<long long> all;
    for (int k = 0; k < 14; ++k) {
        loop<<<1, threads>>>(x, next, cycles, turns);
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
    CHECK(cudaMalloc(&x, 1024 * sizeof(float)));
    CHECK(cudaMalloc(&next, 2048 * sizeof(int)));
    CHECK(cudaMalloc(&cycles, sizeof(long long)));
    CHECK(cudaMemset(x, 0, 1024 * sizeof(float)));
    CHECK(cudaMemset(next, 0, 2048 * sizeof(int)));
    std::vector<int> list(1024);
    for (int k = 0; k < 1024; ++k) list[k] = (k + 32) % 1024;
    CHECK(cudaMemcpy(next, list.data(), 1024 * sizeof(int), cudaMemcpyHostToDevice));

    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    char day[16];
    std::time_t now = std::time(nullptr);
    std::strftime(day, sizeof day, "%Y-%m-%d", std::gmtime(&now));
    std::printf("{\n  \"schema\": 1,\n  \"title\": \"A turn of a small loop\",\n  \"device\": \"%s\",\n", device.name);
    std::printf("  \"compiler\": \"nvcc %d.%d\",\n  \"date\": \"%s\",\n", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, day);
    std::printf("  \"command\": \"scripts/clock/loops.cu\",\n  \"row\": \"loop\",\n");
    std::printf("  \"columns\": [{ \"name\": \"alone\", \"unit\": \"cycles\" }, { \"name\": \"four warps a scheduler\", \"unit\": \"cycles\" }],\n  \"rows\": [\n");
    // Warps of one block are in the same places of a list: those have no second column.
    struct { const char* name; Loop loop; bool together; } loops[] = {
        { "one_chain", one_chain, false },
        { "eight_chains", eight_chains, false },
        { "shared_list", shared_list, false },
        { "cached_list", cached_list, false },
        { "root_and_shuffle", root_and_shuffle, false },
        { "two_chains", two_chains, true },
        { "many_chains", many_chains, true },
        { "long_body", long_body, true },
        { "three_registers", three_registers, true },
        { "multiply_chain", multiply_chain, true },
        { "multiplies", multiplies, true },
        { "integer_chain", integer_chain, true },
        { "integers", integers, true },
        { "floats_and_integers", floats_and_integers, true },
        { "doubles_chain", doubles_chain, true },
        { "doubles", doubles, true },
        { "halves", halves, true },
        { "root", root, true },
        { "roots", roots, true },
        { "shuffle", shuffle, true },
        { "shuffles", shuffles, true },
        { "converted", converted, true },
        { "counted", counted, true },
        { "voted", voted, true },
        { "constant_list", constant_list, true },
        { "global_list", global_list, true },
        { "there_and_back", there_and_back, true },
        { "shared_loads", shared_loads, true },
        { "wide_list", wide_list, false },
        { "two_way_list", two_way_list, false },
        { "all_way_list", all_way_list, false },
        { "shared_sum", shared_sum, true },
        { "global_sum", global_sum, true },
        { "barrier", barrier, true },
        { "fence", fence, true },
        { "not_taken", not_taken, true },
        { "parted", parted, true },
        { "divided", divided, true },
        { "product", product, true },
    };
    const size_t count = sizeof loops / sizeof *loops;
    for (size_t k = 0; k < count; ++k) {
        double turn[2];
        for (int t = 0; t < 2; ++t) {
            const int threads = t == 0 ? 32 : 512, few = 200, many = 1000;
            double last = cycles_of(loops[k].loop, threads, x, next, cycles, many);
            turn[t] = (last - cycles_of(loops[k].loop, threads, x, next, cycles, few)) / (many - few);
            if (!loops[k].together) break;
        }
        std::printf("    { \"name\": \"%s\", \"values\": [%.2f, ", loops[k].name, turn[0]);
        if (loops[k].together) std::printf("%.2f", turn[1]);
        else std::printf("null");
        std::printf("] }%s\n", k + 1 < count ? "," : "");
    }
    std::printf("  ]\n}\n");
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return 0;
}
