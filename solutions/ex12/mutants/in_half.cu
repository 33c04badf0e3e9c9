// Uses the half-precision form.
//@ mutant wrong-result: the argument is rounded to eleven bits before the function, the result after it
//@ let    block = 256
//@ launch gelu<<<ceil_div(n, block), block>>>(x, y, n)

#include <cuda_fp16.h>

__global__ void gelu(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    float inner = 0.79788456f * (t + 0.044715f * t * t * t);
    __half rough;
    asm("tanh.approx.f16 %0, %1;" : "=h"(*(unsigned short*)&rough) : "h"(__half_as_ushort(__float2half(inner))));
    float bent = __half2float(rough);
    y[i] = 0.5f * t * (1.0f + bent);
}
