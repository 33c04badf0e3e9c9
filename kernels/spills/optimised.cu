// The bounds say what is launched: blocks of 256 threads, and nothing of how many
// an SM should hold. The compiler takes the registers that 48 samples need. Fewer
// warps fit, and none of them goes to memory twice.
//@ let    block = 256
//@ launch noise<<<ceil_div(n, block), block>>>(frames, spread, n)

__global__ void __launch_bounds__(256) noise(const float* frames, float* spread, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float v[48];
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < 48; ++k) {
        v[k] = frames[i + k * n];
        sum += v[k];
    }
    float mean = sum * (1.0f / 48.0f);

    float squares = 0.0f;
    #pragma unroll
    for (int k = 0; k < 48; ++k) squares += (v[k] - mean) * (v[k] - mean);
    spread[i] = squares * (1.0f / 48.0f);
}
