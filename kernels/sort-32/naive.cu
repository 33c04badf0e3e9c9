// Sorts every row of 32 numbers, a warp per row, by a bitonic network.
// Flaw: in each of fifteen rounds a lane stores its number, waits, loads
// another, and waits again.
//@ let    block = 256
//@ launch sort<<<ceil_div(32 * rows, block), block>>>(x, y, rows)

__global__ void sort(const int* x, int* y, int rows)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (i >= 32 * rows) return;         // whole warps

    int v = x[i];
    #pragma unroll
    for (int size = 2; size <= 32; size *= 2)
        #pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
            s[t] = v;
            __syncwarp();
            int other = s[t ^ step];
            __syncwarp();
            bool up = (t & size & 31) == 0, first = (t & step) == 0;
            v = up == first ? min(v, other) : max(v, other);
        }
    y[i] = v;
}
