// How close are some solutions to what the device can do, and what do they wait for? Each kernel at its `time` size, alone:
//
//   nvcc -O3 -std=c++17 -arch=native scripts/peers/near-best.cu -lcublas -o near-best
//   ./near-best                 medians by events
//   ./near-best once            one launch of each, to be run under ncu (scripts/near-best.sh)
//
// Run at the top of the repository, on a machine with a GPU. `checker dev check` proves solutions and styles right; the sums in
// parts are compared with the solution's here.

namespace sums_solution {
#include "../../solutions/ex74/solution.cu"
}
namespace sums_sixteen {
#include "../../solutions/ex74/styles/sixteen.cu"
}
// Every column in sixteen parts, a block each. No style of the exercise, whose goals ask for eight rows per thread at any size.
namespace sums_parts {
__global__ void part_sums(const float* m, float* part, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    int share = (rows + 15) / 16;
    int begin = share * blockIdx.y;
    int end = min(rows, begin + share);
    float sum = 0.0f;
    #pragma unroll 8
    for (int r = begin; r < end; ++r)
        sum += m[(long long)r * cols + c];

    part[blockIdx.y * cols + c] = sum;
}

__global__ void all_parts(const float* part, float* sums, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;

    float sum = 0.0f;
    #pragma unroll
    for (int p = 0; p < 16; ++p) sum += part[p * cols + c];
    sums[c] = sum;
}
}
namespace averages_solution {
#include "../../solutions/ex77/solution.cu"
}
namespace averages_two {
#include "../../solutions/ex77/styles/two_rounds.cu"
}
namespace averages_ahead {
#include "../../solutions/ex77/styles/eight_ahead.cu"
}
namespace blur_solution {
#include "../../solutions/ex78/solution.cu"
}
namespace blur_rows {
#include "../../solutions/ex78/styles/all_rows.cu"
}
namespace blur_wide {
#include "../../solutions/ex78/styles/four_wide.cu"
}
#include "../../kernels/sgemm/sweep.cu"

#include "peer.h"

#include <cublas_v2.h>
#include <functional>

constexpr int rounds = 21;

__global__ void fill(float* x, size_t n)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) x[i] = float(unsigned(i) * 2654435761u >> 8) / (1 << 23) - 1.0f;
}

int main(int count, char** words)
{
    bool once = count == 2 && std::string(words[1]) == "once";
    const size_t largest = size_t(16384) * 16384;
    float *x, *y, *z;
    for (float** place : {&x, &y, &z}) CHECK(cudaMalloc(place, sizeof(float) * largest));
    for (float* place : {x, y, z}) fill<<<largest / 256, 256>>>(place, largest);

    const int side = 16384, edge = 4096, n = 540672;
    const dim3 tall(64, 4);
    const float one = 1.0f, zero = 0.0f;
    cublasHandle_t cublas;
    CHECK(cublasCreate(&cublas));
    CHECK(cublasSetMathMode(cublas, CUBLAS_PEDANTIC_MATH));

    struct Way {
        const char* name;
        double bytes, flops;
        std::function<void()> run;
    };
    const double square = 4.0 * side * side, product_flops = 2.0 * edge * edge * edge, averages_flops = 64.0 * n * 256;
    const Way ways[] = {
        {"ex74/solution", square, 0, [&] { sums_solution::column_sums<<<side / 128, 128>>>(x, y, side, side); }},
        {"ex74/sixteen", square, 0, [&] { sums_sixteen::column_sums<<<side / 128, 128>>>(x, y, side, side); }},
        {"ex74/parts", square, 0, [&] {
            sums_parts::part_sums<<<dim3(side / 128, 16), 128>>>(x, z, side, side);
            sums_parts::all_parts<<<side / 128, 128>>>(z, y, side);
        }},
        {"ex77/solution", 4.0 * n * 256, averages_flops, [&] { averages_solution::averages<<<n / 256, 256>>>(x, y, 256, n); }},
        {"ex77/two_rounds", 4.0 * n * 256, averages_flops, [&] { averages_two::averages<<<n / 128, 128>>>(x, y, 256, n); }},
        {"ex77/eight_ahead", 4.0 * n * 256, averages_flops, [&] { averages_ahead::averages<<<n / 128, 128>>>(x, y, 256, n); }},
        {"ex78/solution", 2 * square, 0, [&] { blur_solution::blur<<<dim3(side / 64, side / 32), tall>>>(x, y, side, side); }},
        {"ex78/all_rows", 2 * square, 0, [&] { blur_rows::blur<<<dim3(side / 64, side / 32), tall>>>(x, y, side, side); }},
        {"ex78/four_wide", 2 * square, 0, [&] { blur_wide::blur<<<dim3(side / 256, side / 32), tall>>>(x, y, side, side); }},
        {"sgemm/8x8", 0, product_flops, [&] { product<64><<<dim3(edge / 128, edge / 128), 256>>>(x, y, z, edge, edge); }},
        {"sgemm/cublas", 0, product_flops, [&] {
            CHECK(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, edge, edge, edge, &one, y, edge, x, edge, &zero, z, edge));
        }},
    };
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<float> sums[2] = {std::vector<float>(side), std::vector<float>(side)};
    for (int which : {0, 2}) {
        ways[which].run();
        CHECK(cudaMemcpy(sums[which / 2].data(), y, sizeof(float) * side, cudaMemcpyDeviceToHost));
    }
    for (int c = 0; c < side; ++c)
        if (!(std::abs(sums[0][c] - sums[1][c]) <= 0.05f)) {
            fprintf(stderr, "column %d: %g in one part, %g in sixteen\n", c, sums[0][c], sums[1][c]);
            return 1;
        }
    fill<<<largest / 256, 256>>>(y, largest);

    for (const Way& way : ways) {
        std::vector<double> times;
        for (int round = 0; round < (once ? 1 : rounds + 3); ++round) {
            CHECK(cudaEventRecord(start));
            way.run();
            CHECK(cudaEventRecord(stop));
            CHECK(cudaEventSynchronize(stop));
            CHECK(cudaGetLastError());
            float ms;
            CHECK(cudaEventElapsedTime(&ms, start, stop));
            if (round >= 3) times.push_back(1000.0 * ms);
        }
        if (once) continue;
        double us = interval(times).median;
        printf("%s,%.2f,%.1f,%.1f\n", way.name, us, way.bytes / us / 1000, way.flops / us / 1000);
    }
    return 0;
}
