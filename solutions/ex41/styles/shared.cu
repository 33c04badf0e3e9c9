// Both polynomials in shared memory, one after the other; a lane chooses where to begin.
//@ let    block = 256
//@ launch curve<<<ceil_div(n, block), block>>>(x, left, right, y, n)

__global__ void curve(const float* x, const float* left, const float* right, float* y, int n)
{
    __shared__ float both[32];
    if (threadIdx.x < 32) both[threadIdx.x] = threadIdx.x < 16 ? left[threadIdx.x] : right[threadIdx.x - 16];
    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float v = x[i];
    const float* c = v < 0.0f ? both : both + 16;
    float sum = 0.0f;
    #pragma unroll 1
    for (int k = 15; k >= 0; --k) sum = sum * v + c[k];
    y[i] = sum;
}
