// The oracle, in double precision; the mean of the squares bounds whatever is added and taken away.
//@ launch noise_reference<<<ceil_div(n, 128), 128>>>(frames, spread, spread_magnitude, n)

__global__ void noise_reference(const float* frames, double* spread, double* spread_magnitude, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    double sum = 0.0;
    double magnitude = 0.0;
    for (int k = 0; k < 48; ++k) {
        double value = frames[i + k * n];
        sum += value;
        magnitude += value * value;
    }
    double mean = sum / 48.0;
    double squares = 0.0;
    for (int k = 0; k < 48; ++k) {
        double distance = frames[i + k * n] - mean;
        squares += distance * distance;
    }
    spread[i] = squares / 48.0;
    spread_magnitude[i] = magnitude / 48.0;
}
