// Noise of n pixels over 48 frames: the mean square distance from a pixel's mean.
// Each sample is needed twice.
// Flaw: the bounds ask for two blocks of 1024 threads, which leave 32 registers to
// each thread. 48 samples do not fit: most go to local memory and come back.
//@ let    block = 256
//@ launch noise<<<ceil_div(n, block), block>>>(frames, spread, n)

__global__ void __launch_bounds__(1024, 2) noise(const float* frames, float* spread, int n)
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
