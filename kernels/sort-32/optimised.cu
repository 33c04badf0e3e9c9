// The same network. A shuffle brings the number of the lane whose index differs
// in one bit.
//@ let    block = 256
//@ launch sort<<<ceil_div(32 * rows, block), block>>>(x, y, rows)

__global__ void sort(const int* x, int* y, int rows)
{
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (i >= 32 * rows) return;         // whole warps

    int v = x[i];
    #pragma unroll
    for (int size = 2; size <= 32; size *= 2)
        #pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
            int other = __shfl_xor_sync(0xffffffffu, v, step);
            bool up = (t & size & 31) == 0, first = (t & step) == 0;
            v = up == first ? min(v, other) : max(v, other);
        }
    y[i] = v;
}
