// The oracle, in integers: a block's level first, one thread for each block, by
// counting from the start of the table.
//@ scratch level: i32[blocks]
//@ launch levels<<<blocks, 1>>>(x, knots, level, m)
//@ launch rough<<<blocks, 256>>>(x, level, y)

__global__ void levels(const int* x, const int* knots, int* level, int m)
{
    int total = 0;
    for (int t = 0; t < 256; ++t)
        for (int k = 0; k < 40; ++k) total += x[256 * blockIdx.x + t + k];
    int key = total / (40 * 256);
    int below = 0;
    while (below < m && knots[below] < key) ++below;
    level[blockIdx.x] = below;
}

__global__ void rough(const int* x, const int* level, int* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    int rough = 0;
    for (int k = 0; k < 40; ++k) {
        int distance = x[i + k] - level[i / 256];
        rough += distance < 0 ? -distance : distance;
    }
    y[i] = rough;
}
