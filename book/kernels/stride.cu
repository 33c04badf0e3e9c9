// Each lane reads one word, `stride` words from its neighbour's; the first one lies
// `offset` words into the array.
//@ size   stride = 1
//@ size   offset = 0
//@ in     a: f32[offset + 32 * stride] = uniform(-1, 1)
//@ out    b: f32[32]
//@ launch pick<<<1, 32>>>(a, b, stride, offset)

__global__ void pick(const float* a, float* b, int stride, int offset)
{
    int lane = threadIdx.x;
    b[lane] = a[offset + stride * lane];
}
