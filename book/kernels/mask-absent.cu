// The lower half of a warp adds up, and its mask names all 32 lanes.
//@ in     x: i32[32] = integers(1, 9)
//@ out    y: i32[32]
//@ launch half<<<1, 32>>>(x, y)

__global__ void half(const int* x, int* y)
{
    int v = x[threadIdx.x];
    if (threadIdx.x < 16) {
        for (int k = 8; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffffu, v, k);
    }
    __syncwarp();
    y[threadIdx.x] = v;
}
