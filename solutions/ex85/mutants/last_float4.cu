// Reads four at a time, and of the last, incomplete four only the first.
//@ mutant wrong-result: skips up to two elements
//@ let    block = 256
//@ let    norms_wanted = ceil_div(n, 256)
//@ launch row_norms<<<ceil_div(32 * norms_wanted, block), block>>>(x, norms, n)

__global__ void row_norms(const float* x, float* norms, int n)
{
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    int first = warp * 256;
    if (first >= n) return;         // the same for all lanes of the warp

    int i = first + 4 * lane;
    float4 a = {}, b = {};
    if (i + 4 <= n) a = *(const float4*)(x + i); else if (i < n) a.x = x[i];     // forgets y and z
    i += 128;
    if (i + 4 <= n) b = *(const float4*)(x + i); else if (i < n) b.x = x[i];
    float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    float largest = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) largest = fmaxf(largest, fabsf(v[k]));
    for (int k = 16; k > 0; k /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, k));

    largest = fmaxf(largest, 1e-37f);
    float down = 1 / largest;
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) { float q = v[k] * down; sum += q * q; }
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    if (lane == 0) norms[warp] = largest * sqrtf(sum);
}
