// y = 2x + 1, one float per thread, in blocks of one warp.
// Flaw: an SM holds 32 blocks at most, so 32 warps with one 4-byte load each are in
// flight: 4 KB. And a block for 32 elements has hardly started when it ends.
//@ let    block = 32
//@ launch scale<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void scale(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i] + 1.0f;
}
