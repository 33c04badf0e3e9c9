// The product of matrices with 8 x 8 outputs per thread beside cuBLAS, in single precision without tensor cores.
//
//   nvcc -O3 -std=c++17 -arch=native scripts/peers/sgemm.cu -lcublas -o sgemm && ./sgemm book/results/DEVICE/peers/sgemm.json
//
// Square matrices; the two in turn, in a new order each round, by events; every product is compared with the other's. Run at the top of
// the repository, on a machine with a GPU.

#include "../../kernels/sgemm/sweep.cu"

#include "peer.h"

#include <cublas_v2.h>
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
    cublasHandle_t cublas;
    CHECK(cublasCreate(&cublas));
    CHECK(cublasSetMathMode(cublas, CUBLAS_PEDANTIC_MATH));
    int version;
    CHECK(cublasGetVersion(cublas, &version));

    const int largest = 8192;
    float *a, *b, *c, *d;
    for (float** place : {&a, &b, &c, &d}) CHECK(cudaMalloc(place, sizeof(float) * largest * largest));
    std::vector<float> host(size_t(largest) * largest), other(host.size());
    std::mt19937 random(7);
    for (float* place : {a, b}) {
        for (float& v : host) v = float(random() >> 8) / (1 << 23) - 1.0f;
        CHECK(cudaMemcpy(place, host.data(), sizeof(float) * host.size(), cudaMemcpyHostToDevice));
    }
    std::string peers = " \"peers\": {\"cublas\": \"" + std::to_string(version) + "\"},\n";
    FILE* out = begin(words[1], device, peers, "scripts/peers/sgemm.cu", rounds);

    for (int n = 1024; n <= largest; n *= 2) {
        auto ours = [&] { product<64><<<dim3(n / 128, n / 128), 256>>>(a, b, c, n, n); };
        auto theirs = [&] {
            float one = 1.0f, zero = 0.0f;     // by columns: the transposed product is that of the transposed, in the other order
            CHECK(cublasSgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, d, n));
        };
        compare(out, "cublas", size_t(n), rounds, random, ours, theirs);
        size_t elements = size_t(n) * n;
        CHECK(cudaMemcpy(host.data(), c, sizeof(float) * elements, cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(other.data(), d, sizeof(float) * elements, cudaMemcpyDeviceToHost));
        for (size_t i = 0; i < elements; ++i)
            if (!(std::abs(host[i] - other[i]) <= 1e-5 * n)) {
                fprintf(stderr, "n = %d: element %zu is %g here and %g there\n", n, i, host[i], other[i]);
                return 1;
            }
    }
    fprintf(out, "\n ]\n}\n");
    return fclose(out) != 0;
}
