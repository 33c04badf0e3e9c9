// Kernels that declare no array, and what their functions bring along.
//@ size   n = 256
//@ in     x: f32[n] = uniform(-1, 1)
//@ out    y: f32[n]
//@ launch sine<<<1, 256>>>(x, y)
//@ launch sine_and_cosine<<<1, 256>>>(x, y)
//@ launch short_ones<<<1, 256>>>(x, y)
//@ launch double_sine<<<1, 256>>>(x, y)
//@ launch prints<<<1, 256>>>(x, y)
//@ launch recursion<<<1, 256>>>(x, y)
//@ launch ends_with_itself<<<1, 256>>>(y)
#include <cstdio>

__global__ void sine(const float* x, float* y) { y[threadIdx.x] = sinf(x[threadIdx.x]); }

__global__ void sine_and_cosine(const float* x, float* y)
{
    y[threadIdx.x] = sinf(x[threadIdx.x]) * cosf(x[threadIdx.x]);
}

__global__ void short_ones(const float* x, float* y)
{
    y[threadIdx.x] = __sinf(x[threadIdx.x]) * __cosf(x[threadIdx.x]);
}

__global__ void double_sine(const float* x, float* y) { y[threadIdx.x] = sin((double)x[threadIdx.x]); }

__global__ void prints(const float* x, float* y)
{
    if (x[threadIdx.x] > 2.0f) printf("%f\n", x[threadIdx.x]);
    y[threadIdx.x] = x[threadIdx.x];
}

// Two calls of itself: no loop is the same.
__device__ float leaf(float x, int depth)
{
    return depth <= 0 ? x : leaf(0.5f * x, depth - 1) + leaf(x - 1.0f, depth - 2);
}

__global__ void recursion(const float* x, float* y) { y[threadIdx.x] = leaf(x[threadIdx.x], threadIdx.x % 5); }

// Nothing is left to do after its call: a loop is the same.
__device__ int gcd(int p, int q) { return q == 0 ? p : gcd(q, p % q); }

__global__ void ends_with_itself(float* y) { y[threadIdx.x] = gcd(threadIdx.x + 12, threadIdx.x); }
