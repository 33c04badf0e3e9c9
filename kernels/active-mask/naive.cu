// One bit for each element: is it above the threshold? 32 bits per word, one word
// per iteration of a warp.
// Flaw: __activemask() tells which lanes happen to be here now, not which are still
// to come. Where the lanes of a warp arrive in two groups, each group votes by
// itself, and lane 0 stores the bits of its own group only.
//@ let    words = ceil_div(n, 32)
//@ let    block = 128
//@ launch above<<<ceil_div(words, 4 * 8), block>>>(x, bits, n)

// A warp takes eight words, one after the other.
__global__ void above(const float* x, unsigned* bits, int n)
{
    int lane = threadIdx.x % 32;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int end = min(n, (warp + 1) * 256);

    for (int i = warp * 256 + lane; i < end; i += 32) {
        unsigned active = __activemask();
        unsigned word = __ballot_sync(active, x[i] > 0.5f);
        if (lane == 0) bits[i / 32] = word;
    }
}
