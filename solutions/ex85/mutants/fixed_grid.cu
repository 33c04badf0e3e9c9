// Launches as many blocks as one size needs.
//@ mutant wrong-result: larger inputs have more norms
//@ let    block = 256
//@ launch row_norms<<<16, block>>>(x, norms, n)

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
    for (int k = 16; k > 0; k /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, k));

    largest = fmaxf(largest, 1e-37f);
    float down = 1 / largest;
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) { float q = v[k] * down; sum += q * q; }
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    if (lane == 0) norms[warp] = largest * sqrtf(sum);
}
