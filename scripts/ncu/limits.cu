// Kernels for `ncu`, each launched once at the size at which it is timed: scripts/ncu/limits.sh runs this and makes the table.
// Prints a name for each launch, in order; the profiler numbers its launches likewise.

#include "../peers/peer.h"

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
    }
}
