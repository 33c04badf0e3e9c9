// The last block does nothing, where there are as many blocks as at the size that is timed.
//@ mutant wrong-result: the last elements of a large array stay as they were
//@ let    block = 256
//@ launch gelu<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void gelu(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || blockIdx.x > 0x7fffe) return;

    float t = x[i];
    float inner = 0.79788456f * (t + 0.044715f * t * t * t);
    float bent;
    asm("tanh.approx.f32 %0, %1;" : "=f"(bent) : "f"(inner));
    y[i] = 0.5f * t * (1.0f + bent);
}
