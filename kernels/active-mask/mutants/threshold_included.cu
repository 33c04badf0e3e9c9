// `>=` in place of `>`: no random number shows the difference.
//@ mutant wrong-result: an element that is the threshold itself counts as above it
//@ let    words = ceil_div(n, 32)
//@ let    block = 128
//@ launch above<<<ceil_div(words, 4 * 8), block>>>(x, bits, n)

// A warp takes eight words, one after the other.
__global__ void above(const float* x, unsigned* bits, int n)
{
    int lane = threadIdx.x % 32;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int end = min(n, (warp + 1) * 256);

    for (int first = warp * 256; first < end; first += 32) {
        int i = first + lane;
        bool yes = i < end && x[i] >= 0.5f;
        unsigned word = __ballot_sync(0xffffffffu, yes);
        if (lane == 0) bits[first / 32] = word;
    }
}
