// Each lane reads one word of shared memory, `stride` words from its neighbour's.
//@ size   stride = 1
//@ in     a: f32[1024] = uniform(-1, 1)
//@ out    b: f32[32]
//@ launch pick<<<1, 32>>>(a, b, stride)

__global__ void pick(const float* a, float* b, int stride)
{
    __shared__ float s[1024];
    int lane = threadIdx.x;

    for (int k = lane; k < 1024; k += 32)
        s[k] = a[k];
    __syncwarp();
    b[lane] = s[stride * lane % 1024];
}
