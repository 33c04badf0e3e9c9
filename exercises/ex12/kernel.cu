// GELU, an activation of neural networks: x / 2 (1 + tanh(0.7979 (x + 0.0447 x^3))).
// Flaw: tanhf is accurate to a bit or two, with an exponential, a reciprocal and a polynomial for small arguments. Three digits are enough.
//@ let    block = 256
//@ launch gelu<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void gelu(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    float inner = 0.79788456f * (t + 0.044715f * t * t * t);
    y[i] = 0.5f * t * (1.0f + tanhf(inner));
}
