// The values of a polynomial of degree 47 at many points, a point per thread.
// Flaw: every step needs a coefficient that has just been requested and the sum of the previous step; a thread has nothing else to do.
//@ let    block = 128
//@ launch values<<<ceil_div(n, block), block>>>(x, c, y, n)

__global__ void values(const float* x, const float* c, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float v = x[i];
    float sum = 0.0f;
    #pragma unroll 1
    for (int k = 47; k >= 0; --k) sum = sum * v + c[k];
    y[i] = sum;
}
