// Every thread pauses for 20 microseconds before it stores.
//@ mutant slow: no counter shows how long a pause is: 0.08x on an H200
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
    __nanosleep(20000);
    y[i] = sum;
}
