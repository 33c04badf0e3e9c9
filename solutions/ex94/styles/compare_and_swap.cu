// The maximum of floats by atomicCAS, as the CUDA Programming Guide adds doubles: whoever fails tries again with what it has found.
//@ let     block = 256
//@ let     grid = min(ceil_div(n, 4 * block), 2 * sms)
//@ launch  loudest<<<grid, block>>>(x, peak, n)

__device__ float top;
__device__ unsigned ticket;
__device__ float atomicMaxFloat(float* address, float val)
{
    int* address_as_int = (int*)address;
    int old = *address_as_int, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_int, assumed, __float_as_int(fmaxf(val, __int_as_float(assumed))));
    } while (assumed != old);
    return __int_as_float(old);
}
__global__ void loudest(const float* x, float* peak, int n)
{
    __shared__ float s[8];
    int t = threadIdx.x, g = blockIdx.x * 256 + t, quads = n / 4;
    float own = 0;
    for (int q = g; q < quads; q += gridDim.x * 256) {
        float4 v = ((const float4*)x)[q];
        own = fmaxf(own, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
    }
    if (g < n % 4) own = fmaxf(own, fabsf(x[4 * quads + g]));
    for (int k = 16; k; k >>= 1) own = fmaxf(own, __shfl_xor_sync(~0u, own, k));
    if (t % 32 == 0) s[t / 32] = own;
    __syncthreads();
    if (t == 0) {
        for (int w = 1; w < 8; ++w) own = fmaxf(own, s[w]);
        atomicMaxFloat(&top, own);
        __threadfence();
        if (atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1) { __threadfence(); *peak = atomicAdd(&top, 0.0f); top = 0.0f; }
    }
}
