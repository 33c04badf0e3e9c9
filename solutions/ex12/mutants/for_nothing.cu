// Computes the instruction, and uses the function.
//@ mutant goal: an asm volatile stays, and so does tanhf
//@ let    block = 256
//@ launch gelu<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void gelu(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    float inner = 0.79788456f * (t + 0.044715f * t * t * t);
    float bent;
    asm volatile("tanh.approx.f32 %0, %1;" : "=f"(bent) : "f"(inner));
    y[i] = 0.5f * t * (1.0f + tanhf(inner));
}
