// Adds in half precision.
//@ mutant wrong-result: accumulates in half
//@ let    block = 256
//@ let    dots_wanted = ceil_div(n, 256)
//@ launch dot<<<ceil_div(32 * dots_wanted, block), block>>>(a, b, dots, n)
#include <cuda_fp16.h>

__global__ void dot(const float* a, const float* b, float* dots, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256;
    if (first >= n) return;         // the same for all lanes of the warp

    __half sum = __float2half(0.0f);
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + 32 * k + lane;
        if (i < n) sum = __hadd(sum, __float2half(a[i] * b[i]));
    }

    for (int k = 16; k > 0; k /= 2)
        sum = __hadd(sum, __float2half(__shfl_down_sync(0xffffffffu, __half2float(sum), k)));
    if (lane == 0) dots[warp] = __half2float(sum);
}
