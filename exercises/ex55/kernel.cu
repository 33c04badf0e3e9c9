// Among every 32 elements: how far is each that takes part from the best of those that take part? Negative ones do not.
// Flaw: inside the branch a lane asks which lanes are there now, and takes their best. Lanes that arrive a
// moment later have another best.
//@ let    block = 128
//@ launch behind<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void behind(const int* x, int* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int own = x[i];
    int distance = -1;
    if (own >= 0) {
        unsigned present = __activemask();
        distance = __reduce_max_sync(present, own) - own;
    }
    y[i] = distance;
}
