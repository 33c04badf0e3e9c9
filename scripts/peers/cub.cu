// CUB's DeviceReduce as a shared library for reduce.py: nvcc -O3 -std=c++17 -arch=native -shared -Xcompiler -fPIC cub.cu
#include <cub/cub.cuh>
#include <cuda_fp16.h>

namespace {

struct Widen {
    __device__ float operator()(__half v) const { return __half2float(v); }
};

}

// Asks for, or uses, `*bytes` of temporary memory: as CUB's own calls. Returns a CUDA error number.
extern "C" int sum_float(void* scratch, size_t* bytes, const float* x, float* sum, int n, cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(scratch, *bytes, x, sum, n, stream);
}

extern "C" int sum_int(void* scratch, size_t* bytes, const int* x, int* sum, int n, cudaStream_t stream)
{
    return cub::DeviceReduce::Sum(scratch, *bytes, x, sum, n, stream);
}

extern "C" int sum_half(void* scratch, size_t* bytes, const __half* x, float* sum, int n, cudaStream_t stream)
{
    return cub::DeviceReduce::TransformReduce(scratch, *bytes, x, sum, n, cuda::std::plus<float>{}, Widen{}, 0.0f, stream);
}

extern "C" int version() { return CUB_VERSION; }
