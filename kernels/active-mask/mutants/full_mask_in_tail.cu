// Keeps the divided loop and simply names all lanes.
//@ mutant sync-mask: in the last step the mask names lanes that have left the loop
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
        bool yes = x[i] > 0.5f;
        unsigned word = __ballot_sync(0xffffffffu, yes);
        if (lane == 0) bits[i / 32] = word;
    }
}
