// Takes a scale that is near 1e-18 at least.
//@ mutant wrong-result: the squares of what is far smaller than that are 0
//@ let    block = 256
//@ let    norms_wanted = ceil_div(n, 256)
//@ launch row_norms<<<ceil_div(32 * norms_wanted, block), block>>>(x, norms, n)

__global__ void row_norms(const float* x, float* norms, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256;
    if (first >= n) return;         // the same for all lanes of the warp

    float v[8];
    float largest = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        int i = first + 32 * k + lane;
        v[k] = i < n ? x[i] : 0.0f;
        largest = fmaxf(largest, fabsf(v[k]));
    }
    for (int k = 16; k > 0; k /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, k));

    // 2^e <= largest < 2^(e+1): the exponent's bits.
    int e = (__float_as_int(largest) >> 23) - 127;
    e = min(max(e, -60), 126);
    float down = __int_as_float((127 - e) << 23);
    float up = __int_as_float((127 + e) << 23);

    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
        float s = v[k] * down;
        sum += s * s;
    }
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (lane == 0) norms[warp] = up * sqrtf(sum);
}
