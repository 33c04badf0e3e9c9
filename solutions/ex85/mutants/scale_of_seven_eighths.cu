// The scale is the largest of the first 224 elements.
//@ mutant wrong-result: squares overflow where one of the last 32 is larger by far
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
        if (k < 7) largest = fmaxf(largest, fabsf(v[k]));
    }
    for (int k = 16; k > 0; k /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, k));

    // 2^e <= largest < 2^(e+1): the exponent's bits. Kept from -126 to 126, so that 2^-e is a normal number as well.
    int e = (__float_as_int(largest) >> 23) - 127;
    e = min(max(e, -126), 126);
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
