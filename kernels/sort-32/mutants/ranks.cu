// Counts smaller numbers in shared memory.
//@ mutant goal: right, and thirty-two loads from shared memory
//@ let    block = 256
//@ launch sort<<<ceil_div(32 * rows, block), block>>>(x, y, rows)

__global__ void sort(const int* x, int* y, int rows)
{
    __shared__ int s[256];
    int before = 0;
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (i >= 32 * rows) return;         // whole warps

    int v = x[i];
    s[t] = v;
    __syncwarp();
    for (int k = 0; k < 32; ++k) {
        int other = s[t - t % 32 + k];
        before += other < v || (other == v && k < t % 32);
    }
    y[i - t % 32 + before] = v;
}
