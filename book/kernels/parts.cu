// A branch whose sides take long, and what comes after it: without and with a
// barrier in the source.
//@ in     x: i32[32] = integers(1, 9)
//@ out    y: i32[32]
//@ out    z: i32[32]
//@ launch offered<<<1, 32>>>(x, y)
//@ launch demanded<<<1, 32>>>(x, z)
//@ launch by_mask<<<1, 32>>>(x, z)

__device__ int work(int v)
{
    int count = v;
    #pragma unroll 1
    for (int k = 0; k < count; ++k) v = v * 5 + k;
    return v;
}

__global__ void offered(const int* x, int* y)
{
    int v = x[threadIdx.x];
    if (v > 4) v = work(v);
    y[threadIdx.x] = v;
}

__global__ void demanded(const int* x, int* y)
{
    int v = x[threadIdx.x];
    if (v > 4) v = work(v);
    __syncwarp();
    y[threadIdx.x] = v;
}

// Lanes that take the branch synchronize in it, with a mask that the kernel
// computes.
__global__ void by_mask(const int* x, int* y)
{
    int v = x[threadIdx.x];
    unsigned mask = __ballot_sync(0xffffffffu, v > 4);
    if (v > 4) {
        v = work(v);
        __syncwarp(mask);
    }
    y[threadIdx.x] = v;
}
