// The oracle: a thread per element draws what its whole warp draws.
//@ launch distances_reference<<<ceil_div(32 * warps, 128), 128>>>(seed, next, y, 32 * warps, m)

__global__ void distances_reference(const unsigned* seed, const unsigned* next, unsigned* y, int n, unsigned m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned total = 0;
    for (int lane = 0; lane < 32; ++lane) {
        unsigned state = seed[i / 32 * 32 + lane];
        for (int k = 0; k < 48; ++k) {
            state = state * 1664525u + 1013904223u;
            total += state >> 24;
        }
    }

    unsigned place = total;
    for (int k = 0; k < 32; ++k) place = next[place % m];
    int level = place >> 24;

    unsigned state = seed[i];
    unsigned sum = 0;
    for (int k = 0; k < 48; ++k) {
        state = state * 1664525u + 1013904223u;
        int distance = int(state >> 24) - level;
        sum += distance < 0 ? -distance : distance;
    }
    y[i] = sum;
}
