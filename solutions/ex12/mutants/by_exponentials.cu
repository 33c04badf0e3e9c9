// Makes it of an exponential and a quotient.
//@ mutant goal: right, and two special functions for one
//@ let    block = 256
//@ launch gelu<<<ceil_div(n, block), block>>>(x, y, n)

__global__ void gelu(const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float t = x[i];
    float inner = 0.79788456f * (t + 0.044715f * t * t * t);
    y[i] = 0.5f * t * (1.0f + (1.0f - __fdividef(2.0f, 1.0f + __expf(2.0f * inner))));
}
