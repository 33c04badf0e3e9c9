//@ mutant wrong-result: 0 belongs to the right piece
//@ launch curve<<<ceil_div(n, 256), 256>>>(x, left, right, y, n)
__global__ void curve(const float* x, const float* left, const float* right, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], sum = 0;
    const float* c = v <= 0.0f ? left : right;
    #pragma unroll 1
    for (int k = 15; k >= 0; --k) sum = sum * v + c[k];
    y[i] = sum;
}
