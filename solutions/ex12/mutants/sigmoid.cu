// Takes the approximation by a sigmoid, which is as well known.
//@ mutant wrong-result: x / (1 + exp(-1.702 x)) is another function by two hundredths
//@ let    block = 256
//@ launch gelu<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void gelu(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    float inner = 0.79788456f * (t + 0.044715f * t * t * t);
    y[i] = t / (1.0f + __expf(-1.702f * t));
}
