// Each lane stores its own bit into the shared word.
//@ mutant race: 32 lanes write the same word
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
        bool yes = i < end && x[i] > 0.5f;
        if (yes) bits[first / 32] |= 1u << lane;
        else bits[first / 32] &= ~(1u << lane);
    }
}
