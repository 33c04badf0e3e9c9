// The same curve: a lane chooses its coefficients first, and then all lanes go through one polynomial together.
//@ let    block = 256
//@ launch curve<<<ceil_div(n, block), block>>>(x, left, right, y, n)

__global__ void curve(const float* x, const float* left, const float* right, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float v = x[i];
    const float* c = v < 0.0f ? left : right;
    float sum = 0.0f;
    #pragma unroll 1
    for (int k = 15; k >= 0; --k) sum = sum * v + c[k];
    y[i] = sum;
}
