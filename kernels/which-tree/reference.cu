// The oracle: one thread a tile, in double precision, one element after the other.
//@ let    sums_n = ceil_div(n, 4096)
//@ launch tile_sums_reference<<<ceil_div(sums_n, 64), 64>>>(x, sums, sums_magnitude, n)

__global__ void tile_sums_reference(const float* x, double* sums, double* sums_magnitude, int n)
{
    int tile = blockIdx.x * 64 + threadIdx.x;
    int first = tile * 4096;
    if (first >= n) return;
    double sum = 0.0;
    double magnitude = 0.0;
    for (int i = first; i < n && i < first + 4096; ++i) {
        sum += x[i];
        magnitude += fabs((double)x[i]);
    }
    sums[tile] = sum;
    sums_magnitude[tile] = magnitude;
}
