// Noise of n pixels over `frames` frames: the mean square distance from a pixel's
// mean. Each sample is needed twice, so a thread wants about as many registers as
// there are frames, and a dozen more. `__maxnreg__` says how many it gets.
//@ let    block = 256
//@ launch noise<frames, registers><<<ceil_div(n, block), block>>>(samples, spread, n)

template <int frames, int registers>
__global__ void __maxnreg__(registers) noise(const float* samples, float* spread, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float v[frames];
    float sum = 0.0f;
    #pragma unroll
    for (int k = 0; k < frames; ++k) {
        v[k] = samples[i + k * n];
        sum += v[k];
    }
    float mean = sum * (1.0f / frames);

    float squares = 0.0f;
    #pragma unroll
    for (int k = 0; k < frames; ++k) squares += (v[k] - mean) * (v[k] - mean);
    spread[i] = squares * (1.0f / frames);
}
