// Gives every warp a single element.
//@ mutant goal: nothing diverges where one lane of 32 works
//@ let    block = 256
//@ launch curve<<<ceil_div(32 * n, block), block>>>(x, left, right, y, n)

__global__ void curve(const float* x, const float* left, const float* right, float* y, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (i >= n || threadIdx.x % 32 != 0) return;

    float v = x[i];
    const float* c = v < 0.0f ? left : right;
    float sum = 0.0f;
    #pragma unroll 1
    for (int k = 15; k >= 0; --k) sum = sum * v + c[k];
    y[i] = sum;
}
