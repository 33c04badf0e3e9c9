// A warp turns a tile of 32 by 32 numbers through shared memory: it writes rows and
// reads columns.
//@ in     a: f32[1024] = uniform(-1, 1)
//@ out    b: f32[1024]
//@ launch turn<<<1, 32>>>(a, b)

__global__ void turn(const float* a, float* b)
{
    __shared__ float tile[32][32];
    int lane = threadIdx.x;

    for (int row = 0; row < 32; ++row)
        tile[row][lane] = a[32 * row + lane];
    __syncwarp();
    for (int row = 0; row < 32; ++row)
        b[32 * row + lane] = tile[lane][row];
}
