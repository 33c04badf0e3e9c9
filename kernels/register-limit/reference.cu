// The oracle, in double precision: the mean of the squares bounds whatever is added
// and taken away.
//@ launch noise_reference<<<ceil_div(n, 128), 128>>>(samples, spread, spread_magnitude, n, frames)

__global__ void noise_reference(const float* samples, double* spread, double* spread_magnitude, int n, int frames)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double sum = 0.0;
    double magnitude = 0.0;
    for (int k = 0; k < frames; ++k) {
        double value = samples[i + k * n];
        sum += value;
        magnitude += value * value;
    }
    double mean = sum / frames;
    double squares = 0.0;
    for (int k = 0; k < frames; ++k) {
        double distance = samples[i + k * n] - mean;
        squares += distance * distance;
    }
    spread[i] = squares / frames;
    spread_magnitude[i] = magnitude / frames;
}
