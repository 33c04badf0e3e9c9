// Kernels for `ncu`, each launched once at the size at which it is timed: scripts/ncu/limits.sh runs this and makes the table.
// Prints a name for each launch, in order; the profiler numbers its launches likewise.

#include "../peers/peer.h"

#include <cfloat>
#include <cuda_fp16.h>
#include <random>

namespace spills_tight {
#include "../../kernels/spills/naive.cu"
}
namespace spills_wide {
#include "../../kernels/spills/optimised.cu"
}
namespace ex11 {
#include "../../solutions/ex11/solution.cu"
}
namespace ex13_starter {
#include "../../exercises/ex13/starter.cu"
}
namespace ex13 {
#include "../../solutions/ex13/solution.cu"
}
namespace ex14_starter {
#include "../../exercises/ex14/starter.cu"
}
namespace ex14 {
#include "../../solutions/ex14/solution.cu"
}
namespace ex21 {
#include "../../solutions/ex21/solution.cu"
}
namespace ex22 {
#include "../../solutions/ex22/solution.cu"
}
namespace ex23 {
#include "../../solutions/ex23/solution.cu"
}
namespace ex31 {
#include "../../solutions/ex31/solution.cu"
}
namespace ex81 {
#include "../../solutions/ex81/solution.cu"
}
namespace ex84 {
#include "../../solutions/ex84/solution.cu"
}
namespace ex85 {
#include "../../solutions/ex85/solution.cu"
}
namespace ex93 {
#include "../../solutions/ex93/solution.cu"
}
namespace ex95 {
#include "../../solutions/ex95/solution.cu"
}

// `count` words on the device: `period` random ones, over and over.
template <typename Word, typename Draw>
Word* filled(size_t count, Draw draw, size_t period = 1 << 20)
{
    std::vector<Word> some(period);
    for (Word& word : some) word = draw();
    Word* words;
    CHECK(cudaMalloc(&words, sizeof(Word) * count));
    for (size_t at = 0; at < count; at += some.size())
        CHECK(cudaMemcpy(words + at, some.data(), sizeof(Word) * std::min(some.size(), count - at), cudaMemcpyHostToDevice));
    return words;
}

static void launched(const char* name)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    puts(name);
}

int main()
{
    std::mt19937 random(7);
    auto real = [&] { return std::uniform_real_distribution<float>(-1, 1)(random); };
    auto bits = [&] { return unsigned(random()); };
    auto place = [&] { return int(random() % 65536); };

    {
        const int n = 1 << 23;
        float* frames = filled<float>(48 * size_t(n), real);
        float* spread = filled<float>(n, real);
        spills_tight::noise<<<n / 256, 256>>>(frames, spread, n);
        launched("spills/baseline");
        spills_wide::noise<<<n / 256, 256>>>(frames, spread, n);
        launched("spills/solution");
        CHECK(cudaFree(frames));
        CHECK(cudaFree(spread));
    }
    {
        const int n = 1 << 27;
        float* x = filled<float>(n, real);
        float* y = filled<float>(n, real);
        ex11::smooth<0><<<n / 256, 256>>>(x, y, n);
        launched("ex11/solution");
        CHECK(cudaFree(x));
        CHECK(cudaFree(y));
    }
    {
        const int n = 1 << 27;
        unsigned* signal = filled<unsigned>(size_t(n) + 15, bits);
        unsigned* pattern = filled<unsigned>(16, bits);
        int* distance = filled<int>(n, place);
        ex13_starter::match<<<n / 256, 256>>>(signal, pattern, distance, n);
        launched("ex13/baseline");
        ex13::match<<<n / 256, 256>>>(signal, pattern, distance, n);
        launched("ex13/solution");
        CHECK(cudaFree(signal));
        CHECK(cudaFree(pattern));
        CHECK(cudaFree(distance));
    }
    {
        const int rows = 1 << 22;
        int* column = filled<int>(8 * size_t(rows), place, 8 * size_t(rows));
        float* value = filled<float>(8 * size_t(rows), real);
        float* x = filled<float>(65536, real);
        float* y = filled<float>(rows, real);
        ex14_starter::multiply<<<rows / 256, 256>>>(column, value, x, y, rows);
        launched("ex14/baseline");
        ex14::multiply<<<rows / 256, 256>>>(column, value, x, y, rows);
        launched("ex14/solution");
        CHECK(cudaFree(column));
        CHECK(cudaFree(value));
        CHECK(cudaFree(x));
        CHECK(cudaFree(y));
    }
    int sms;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    const int n = 1 << 27;
    float* x = filled<float>(n, real);
    float* y = filled<float>(n, real);
    int* whole = filled<int>(n, bits);
    {
        float* mid = filled<float>(n, real);
        float* side = filled<float>(n, real);
        ex21::mid_side<<<n / 256, 256>>>(x, y, mid, side, n);
        launched("ex21/solution");
        CHECK(cudaFree(mid));
        CHECK(cudaFree(side));
    }
    {
        const int rows = 1 << 23;
        auto* row = reinterpret_cast<const signed char*>(whole);
        ex22::scores<<<rows / 256, 256>>>(row, row, reinterpret_cast<int*>(y), rows);
        launched("ex22/solution");
    }
    {
        const int rows = 1 << 14;
        __half* halves = filled<__half>(size_t(rows) * rows, [&] { return __float2half(real()); });
        ex23::row_sums<<<rows * 32 / 256, 256>>>(halves, y, rows, rows);
        launched("ex23/solution");
        CHECK(cudaFree(halves));
    }
    {
        const int words = 1 << 26;
        int* counts = filled<int>(4 * size_t(words), bits);
        ex31::count_bases<<<words / 256, 256>>>(reinterpret_cast<unsigned*>(whole), counts, words);
        launched("ex31/solution");
        CHECK(cudaFree(counts));
    }
    {
        int* values = filled<int>(n, [&] { return int(random() % 64); });
        unsigned* bins = filled<unsigned>(64, bits, 64);
        ex81::histogram<<<8 * sms, 256>>>(values, bins, n);
        launched("ex81/solution");
        CHECK(cudaFree(values));
        CHECK(cudaFree(bins));
    }
    {
        const int rows = 1 << 17;
        float* wide = filled<float>(n, [&] { return 200 * real(); });
        ex84::log_sum_exp<<<rows * 32 / 128, 128>>>(wide, y, rows, 1024);
        launched("ex84/solution");
        CHECK(cudaFree(wide));
    }
    ex85::row_norms<<<n / 256 * 32 / 256, 256>>>(x, y, n);
    launched("ex85/solution");
    {
        int* samples = filled<int>(n, [&] { return int(random() % 43) - 2; });
        ex93::longest_run<<<n / 256 * 32 / 256, 256>>>(samples, reinterpret_cast<int*>(y), n);
        launched("ex93/solution");
        CHECK(cudaFree(samples));
    }
    ex95::describe<<<8 * sms, 256>>>(x, y, n);
    launched("ex95/solution");
}
