// Each element is stirred a number of times of its own: steps[i] rounds of a
// xorshift generator.
// Flaw: a warp loops until its slowest lane is done. With random counts the lanes
// spend nearly half of their time so.
//@ let    block = 256
//@ launch stir<<<ceil_div(n, block), block>>>(seed, steps, out, n)

__global__ void stir(const unsigned* seed, const int* steps, unsigned* out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    unsigned s = seed[i];
    int count = steps[i];
    #pragma unroll 1
    for (int k = 0; k < count; ++k) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
    }
    out[i] = s;
}
